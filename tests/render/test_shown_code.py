"""Code is coloured once in a process, and again only where its content or its name is another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from atlas.checks.checked import Checked
from atlas.kept import Kept
from atlas.markup.code import excerpt, highlight
from atlas.operators.catalogue import find
from atlas.render.shown_code import ShownCode


def test_a_passage_is_made_once_and_is_that_of_its_own_file(whole_checked: Checked) -> None:
    pinned = next(one for one in whole_checked.files.values() if one.path.endswith(".py"))
    code = ShownCode()
    passage = code.passage(pinned, 2, 4)
    assert passage == excerpt(highlight(pinned.text, path=pinned.path), 2, 4)
    assert code.passage(replace(pinned, source_id="other", path=f"folder/{pinned.path}"), 2, 4) is passage
    other = replace(pinned, blob="0" * 40, text="a = 1\nb = 2\nc = 3\nd = 4\n")
    assert [one.number for one in code.passage(other, 2, 4)] == [2, 3, 4]
    assert code.passage(other, 2, 4).plain == "b = 2\nc = 3\nd = 4"
    text = replace(pinned, path="notes.txt")
    assert code.passage(text, 2, 4) != passage


def test_colours_are_taken_from_what_is_kept(whole_checked: Checked, tmp_path: Path) -> None:
    pinned = next(one for one in whole_checked.files.values() if one.path.endswith(".py"))
    with Kept(tmp_path) as kept:
        made = ShownCode(kept).file(pinned)
    with Kept(tmp_path) as kept:
        before = dict(kept._new)
        assert ShownCode(kept).file(pinned) == made
        assert kept._new == before, "nothing was coloured anew"


def test_an_operator_is_made_once() -> None:
    code = ShownCode()
    assert code.operator(find("layer_norm")) is code.operator(find("layer_norm"))
    assert code.operator(find("layer_norm")).plain == find("layer_norm").reference_source().rstrip("\n")
