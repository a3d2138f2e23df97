"""The text of a function is what the standard library finds, for every operator whose text a page shows."""

from __future__ import annotations

import inspect

from atlas.operators.catalogue import CATALOGUE
from atlas.render.function_text import function_text


def test_the_text_of_every_operator_is_the_one_in_its_file() -> None:
    for operator in CATALOGUE.values():
        assert function_text(operator.function) == operator.reference_source(), operator.name
        assert function_text(operator.function) == inspect.getsource(operator.function), operator.name
