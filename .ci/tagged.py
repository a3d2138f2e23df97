"""Refuses a release whose tag is not the version in pyproject.toml, before anything is published under a wrong name."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Compare the tag that is given with the version."""
    if len(sys.argv) != 2:
        sys.exit("usage: tagged.py v1.2.3")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if sys.argv[1] != f"v{version}":
        sys.exit(f"the tag is {sys.argv[1]}, but pyproject.toml has the version {version}: tag v{version}, or edit it")


if __name__ == "__main__":
    main()
