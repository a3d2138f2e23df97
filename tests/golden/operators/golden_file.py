"""Writes golden values in the one form that tests/operators/test_golden.py reads; the scripts beside it use it.

A case names an operator, its arrays and options, and what an independent implementation makes of them. Everything is
float64 on the CPU, and numbers are written so that reading them gives the same bits.
"""

# ruff: noqa: T201  # a script that writes its result to the standard output
from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where a file is made anew


class Golden:
    """The cases of one file; `normal` draws the arrays from its seeded generator."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.generator = torch.Generator().manual_seed(seed)
        self.cases: list[dict[str, Any]] = []

    def normal(self, *shape: int) -> Any:
        """Random numbers, rounded to three places so that the file stays small; they are exact all the same."""
        return torch.round(torch.randn(*shape, generator=self.generator, dtype=torch.float64), decimals=3)

    def integers(self, below: int, *shape: int) -> Any:
        """Random whole numbers from 0."""
        return torch.randint(below, shape, generator=self.generator)

    def add(self, name: str, operator: str, arrays: dict[str, Any], result: Any, **options: Any) -> None:
        """Add one case; the result is a tensor, or a mapping where the operator has several outputs."""
        results = result if isinstance(result, dict) else {"result": result}
        case = {"name": name, "operator": operator, "options": options}
        case |= {"arrays": {key: _plain(value) for key, value in arrays.items() if value is not None}}
        self.cases.append(case | {"results": {key: _plain(value) for key, value in results.items()}})

    def write(self) -> None:
        """Print the file."""
        made = {
            "made by": Path(sys.argv[0]).name,
            "torch": torch.__version__,
            "seed": self.seed,
            "precision": "float64",
            "cases": self.cases,
        }
        text = json.dumps(made, indent=1)
        text = re.sub(r"\[[^\[\]{}]*\]", lambda numbers: " ".join(numbers[0].split()), text)  # one vector a line
        print(text.replace("-Infinity", "-1e999"))  # JSON has no infinity; this is read as one


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, torch.Tensor) else value
