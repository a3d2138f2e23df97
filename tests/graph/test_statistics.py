"""What is told of a value's numbers, and the file that holds them all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from atlas.graph.statistics import Statistics, save_values, statistics


def test_mean_and_deviation_are_over_all_numbers() -> None:
    found = statistics(np.array([[1.0, 2.0], [3.0, 6.0]], dtype="float32"))
    assert (found.shape, found.dtype, found.mean, found.not_finite) == ((2, 2), "float32", 3.0, 0)
    assert found.deviation == pytest.approx(3.5**0.5)
    assert statistics(np.array([2, 4])).mean == 3


def test_numbers_that_are_not_finite_are_counted_and_left_out() -> None:
    found = statistics(np.array([1.0, np.inf, 3.0, np.nan]))
    assert (found.mean, found.deviation, found.not_finite) == (2.0, 1.0, 2)
    assert statistics(np.array([np.nan])) == Statistics((1,), "float64", None, None, 1)


def test_single_precision_is_summed_in_double() -> None:
    found = statistics(np.full(10**6, 0.1, dtype="float32"))
    assert found.mean == pytest.approx(float(np.float32(0.1)), rel=1e-12)


def test_values_are_saved_by_name_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "run.values"
    arrays = {"decoder[0].x_{n+1}": np.arange(3.0), r"stages[1]/rest[0].\ell": np.array([[1, 2]])}
    assert save_values(path, arrays) == 2
    with np.load(path) as saved:
        assert {name: saved[name].tolist() for name in saved.files} == {k: v.tolist() for k, v in arrays.items()}
    before = path.read_bytes()
    with pytest.raises(AttributeError):
        save_values(path, {"a": np.arange(3), "b": None.missing})  # type: ignore[attr-defined]
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["run.values"]
