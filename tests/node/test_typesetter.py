"""What was typeset before is at hand or kept, and is then the same as when it was new."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from atlas.kept import Kept
from atlas.node import typesetter as module
from atlas.node.environment import Environment
from atlas.node.process import Formula, NodeProcess
from atlas.node.typesetter import Typesetter

LONG = Formula(r"\frac{a_1}{b_2} + \sqrt{c} + " * 20 + "d", True)
FORMULAS = (
    Formula("x"),
    Formula("x", True),
    Formula("x", True, r"\textcolor{#a71a00}{x}"),
    Formula(r"x + \undefined"),
    LONG,
)


def refused() -> Environment:
    raise AssertionError("Node is not needed")


@pytest.mark.parametrize("whole", [False, True])
def test_kept_results_are_those_that_were_new(
    node: NodeProcess, environment: Environment, tmp_path: Path, whole: bool
) -> None:
    wanted = node.typeset(FORMULAS, whole=whole)
    with Kept(tmp_path) as kept, Typesetter(kept, lambda: environment) as new:
        assert new.typeset(FORMULAS, whole=whole) == wanted
    with Kept(tmp_path) as kept, Typesetter(kept, refused) as old:
        assert old.typeset([*FORMULAS, *FORMULAS], whole=whole) == [*wanted, *wanted]
        with pytest.raises(AssertionError, match="not needed"):
            old.typeset(FORMULAS, whole=not whole)
    assert len({one.html for one in wanted}) == len(FORMULAS) - whole
    assert wanted[3].error.startswith("Undefined control sequence")
    assert wanted[3].position == 4


def test_what_was_just_typeset_is_at_hand_within_limits(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Counted(Kept):
        def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
            wanted = list(keys)
            asked.append(len(wanted))
            return super().get(wanted)

    with Counted(tmp_path) as kept, Typesetter(kept, lambda: environment) as typesetter:
        first = typesetter.typeset(FORMULAS)
        assert typesetter.typeset(FORMULAS) == first
        assert asked == [len(FORMULAS)]
        monkeypatch.setattr(module, "RECENT", 1)
        typesetter.typeset([Formula("y")])
        assert typesetter.typeset(FORMULAS) == first
        assert asked == [len(FORMULAS), 1, len(FORMULAS)]
