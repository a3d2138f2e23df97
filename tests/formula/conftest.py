"""The shared formulas with their references, and short ways to declare symbols in a test."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atlas.exceptions import FormulaError
from atlas.formula.declarations import Declarations
from atlas.formula.engine import Formula, parse
from atlas.formula.sample import draw

HERE = Path(__file__).parent
CORPUS = runpy.run_path(str(HERE / "corpus.py"))
CASES: dict[str, Any] = CORPUS["load"]()
REFERENCES: dict[str, Any] = runpy.run_path(str(HERE / "references.py"))["REFERENCES"]

Declare = Callable[..., Declarations]
Read = Callable[..., Formula]
Refuse = Callable[..., FormulaError]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a `case` runs once for each shared formula."""
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", list(CASES.values()), ids=list(CASES))


@pytest.fixture(scope="session")
def cases() -> dict[str, Any]:
    return CASES


@pytest.fixture(scope="session")
def references() -> dict[str, Any]:
    return REFERENCES


@pytest.fixture(scope="session")
def declare() -> Declare:
    """`declare({'x': '[B,d]'}, base=0)` in the notation of formulas.yml."""
    found: Declare = CORPUS["declared"]
    return found


@pytest.fixture(scope="session")
def read(declare: Declare) -> Read:
    """`read(latex, {'x': '[B,d]'})` → the parsed formula."""

    def make(latex: str, symbols: dict[str, str], **rest: Any) -> Formula:
        return parse(latex, declare(symbols, **rest))

    return make


@pytest.fixture(scope="session")
def refuse(read: Read) -> Refuse:
    """`refuse(latex, symbols)` → the error with which the formula is refused, when it is read or when it is run."""

    def run(latex: str, symbols: dict[str, str], **rest: Any) -> FormulaError:
        try:
            formula = read(latex, symbols, **rest)
            sample = draw(formula, 0, 0)
            formula.run(sample.inputs, sample.sizes)
        except FormulaError as error:
            return error
        pytest.fail(f"not refused: {latex}")

    return run
