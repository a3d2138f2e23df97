"""Templates print the same characters as Jinja2 does by itself, and escape as strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Environment, StrictUndefined
from jinja2.exceptions import UndefinedError
from markupsafe import Markup, escape

from atlas.render.printing import Templates, printed


class Made:
    """A value that knows its own HTML."""

    def __html__(self) -> str:
        return "<i>made</i>"

    def __str__(self) -> str:
        return "never shown"


class Word(str):
    """A text of another kind."""


VALUES = [
    "",
    "plain",
    "a < b > c",
    'x="y"',
    "it's",
    "A & B",
    "&amp;",
    Markup("<b>&</b>"),
    3,
    None,
    1.5,
    Made(),
    Word("<"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_is_printed_is_what_escaping_gives(value: object) -> None:
    assert printed(value) == escape(value)
    assert isinstance(printed(value), str)


TEMPLATE = """
{%- macro twice(one) -%}<p title="{{ one }}">{{ one }}</p>{%- endmacro -%}
{%- set kept %}[{{ value }}]{% endset -%}
{{ value }} {{ twice(value) }} {{ kept }} {{ value ~ "<" }} {{ [value, "&"]|join("<br>") }} {{ "<"|safe }} {{ '"' }}
{%- if value is string %} {{ value|upper }}{% endif %}
{%- autoescape false %} {{ value }}{% endautoescape %}"""


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_template_gives_the_same_text_as_with_jinja_alone(value: object, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(TEMPLATE)
    alone = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    expected = alone.from_string(TEMPLATE).render(value=value)
    assert Templates([tmp_path]).get_template("page.html").render(value=value) == expected


def test_what_a_renderer_makes_of_values_is_printed_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>{{ value }}</p>")
    templates = Templates([tmp_path], lambda value: f"<{value}>")
    assert templates.get_template("page.html").render(value="&") == "<p><&></p>"


def test_an_undefined_name_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("{{ nothing }}")
    with pytest.raises(UndefinedError, match="nothing"):
        Templates([tmp_path]).get_template("page.html").render()


def test_a_template_in_place_of_one_of_ours_is_known_to_be_none_of_ours(tmp_path: Path) -> None:
    ours = Templates(()).own
    assert Templates([tmp_path, ours]).has_own("entity/structure.html")
    (tmp_path / "entity").mkdir()
    (tmp_path / "entity" / "structure.html").write_text("")
    assert not Templates([tmp_path, ours]).has_own("entity/structure.html")
    assert Templates([ours, tmp_path]).has_own("entity/structure.html")
