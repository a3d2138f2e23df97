"""What the guide shows is what is so: its operator runs, and what it says of files and commands is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from atlas.operators.catalogue import find
from atlas.operators.contract import Floats
from atlas.operators.options import NonNegative
from atlas.operators.registry import Operator, operator
from atlas.operators.rms_norm import FAMILY
from atlas.render.addresses import ENTRIES, ISSUE_CODES
from atlas.render.navigation import linked_pages

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "content" / "contribute"
GENERATED = {ENTRIES, ISSUE_CODES}
"""Pages of the guide that are made from the program."""


def block(page: str, language: str) -> str:
    """The only block of this language on a page of the guide."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (GUIDE / page).read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


def test_the_operator_that_is_shown_computes_what_ours_does() -> None:
    ours = find("rms_norm")
    names: dict[str, Any] = {
        "FAMILY": FAMILY,
        "Floats": Floats,
        "NonNegative": NonNegative,
        "np": np,
        "operator": operator,
    }
    exec(block("operators.md", "python"), names)  # noqa: S102 - our own page
    shown = names["rms_norm"]
    assert isinstance(shown, Operator)
    rng = np.random.default_rng(8)
    x, gamma = rng.normal(size=(2, 3, 5)), rng.normal(size=5)
    np.testing.assert_array_equal(shown(x, gamma, epsilon=1e-3), ours(x, gamma, epsilon=1e-3))
    assert (shown.contract, shown.parameters, shown.conventions) == (ours.contract, ours.parameters, ours.conventions)


OURS = [page for page in sorted(GUIDE.glob("*.md")) if page.name != "tutorial.md"]
"""Pages about this repository; the tutorial's files are those of a new atlas, which its own test makes."""


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:atlas|tests|sources|content|\.github)/[\w./-]*)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_entrance_leads_to_every_page_of_the_guide() -> None:
    index = (GUIDE / "index.md").read_text(encoding="utf-8")
    pages = {f"contribute/{page.name}" for page in GUIDE.glob("*.md") if page.name != "index.md"}
    pages |= {f"{address.removesuffix('/')}.md" for address in GENERATED}
    linked = linked_pages("contribute/index.md", index)
    assert {*linked} == {*pages, "formula-language.md"}
    assert linked[:4] == [
        "contribute/tutorial.md",
        "contribute/entries.md",
        "formula-language.md",
        "contribute/issue-codes.md",
    ]


def test_the_hook_that_is_shown_is_there() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    blocks = re.findall(r"```yaml\n(.*?)```", (GUIDE / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    (shown,) = [found for found in map(yaml.safe_load, blocks) if found]
    assert [hook["id"] for repository in shown["repos"] for hook in repository["hooks"]] == [one["id"] for one in hooks]
