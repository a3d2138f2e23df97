"""Golden values and seeded arrays, shared by the tests of the operators."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent / "golden" / "operators"


@pytest.fixture(scope="session")
def golden() -> Callable[[str], dict[str, Any]]:
    """Reads golden values by the name of their file; `make_NAME.py` beside it made it."""

    def read(name: str) -> dict[str, Any]:
        values: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        return values

    return read


@pytest.fixture(scope="session")
def normal() -> Callable[..., Any]:
    """Makes an array of a shape from the standard normal distribution."""

    def made(*shape: int, seed: int = 0) -> Any:
        return np.random.default_rng([seed, *shape]).normal(size=shape)

    return made


@pytest.fixture(scope="module")
def layer_norm_golden(golden: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """PyTorch's layer normalization and gradients."""
    return golden("layer_norm")
