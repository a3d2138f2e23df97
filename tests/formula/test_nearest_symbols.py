"""What is offered for a name that is not known: a letter is never meant to be a function."""

from __future__ import annotations

from atlas.formula.declarations import Declarations
from atlas.formula.symbols import symbol_table


def test_a_function_is_offered_for_a_word_and_never_for_a_letter() -> None:
    table = symbol_table(Declarations(symbols={}, batch=(), sizes={}))
    assert table.nearest(r"\beta") == ()
    assert table.nearest(r"\beta_2") == ()
    assert r"\tanh" in table.nearest(r"\tanhh")
    assert table.nearest(r"\beta", [r"\beta_2"]) == (r"\beta_2",)
