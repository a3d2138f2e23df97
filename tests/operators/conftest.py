"""Golden values, shared by the tests of the layer-norm family."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parent.parent / "golden" / "operators"


@pytest.fixture(scope="module")
def layer_norm_golden() -> dict[str, Any]:
    """PyTorch's layer normalization and gradients; made by make_layer_norm.py beside the file."""
    golden: dict[str, Any] = json.loads((GOLDEN / "layer_norm.json").read_text(encoding="utf-8"))
    return golden
