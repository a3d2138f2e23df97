"""The real content, loaded once for all tests of the room."""

from __future__ import annotations

from pathlib import Path

from atlas.entries.load import load

ROOT = Path(__file__).parents[2]
ATLAS = load(ROOT, ROOT / "content", ROOT / "sources")[0]
