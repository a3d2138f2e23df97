"""What tests of the command line share besides fixtures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Atlas = Callable[..., Result]
PROJECT = Path(__file__).resolve().parents[1] / "project"
FFN, ATTENTION = "transformer/encoder/ffn-layer-norm", "transformer/encoder/attention-layer-norm"
FFN_FILE, CHAINER_FILE = f"content/{FFN}.yml", "content/chainer/layer-normalization.yml"
WRONG = ("epsilon: inside the root", "epsilon: outside the root")


def pinned(project: Any, source: str) -> list[str]:
    """The number of each line of a manifest that pins a file."""
    lines = (project.root / "sources" / f"{source}.yml").read_text(encoding="utf-8").splitlines()
    return [str(number) for number, line in enumerate(lines, 1) if "blob:" in line]


def error_line(result: Result) -> str:
    """The last line of what a refused command says; it ends without a traceback and prints no result."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]
