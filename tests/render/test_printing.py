"""Templates print the same characters as Jinja2 does by itself, and escape as strictly."""

from __future__ import annotations

from functools import partial
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


CALLS = """
{%- macro three(one, two="<two>", three=one) -%}<p>{{ one }}{{ two }}{{ three }}</p>{%- endmacro -%}
{%- macro around(title) -%}<div>{{ title }}{{ caller("<within>") }}</div>{%- endmacro -%}
{%- macro all() -%}{{ varargs|join("<br>") }}{{ kwargs|length }}{%- endmacro -%}
{%- for one in [value, "&"] %}{{ three(one) -}}
{{ three(one, 2) }}{{ three(one, three="<") }}{{ three(1, one, 3) }}{% endfor %}
{%- call(text) around(value) %}{{ text }}{{ value }}{% endcall %}
{{ all(value, "<", name=1) }} {{ give(value) }} {{ give("<", ending="&") }} {{ part() }} {{ "<a>".upper() }}
{{ [shown.made, shown.deep.made, shown["deep"].made]|join(",") }} {{ shown.nothing is defined }}
{%- set ns = namespace(one=shown) %}{{ ns.one.deep.made -}}
{% for one in shown.deep.values() if one.real is defined %}{{ one.real }}{% endfor %}
{{ range(3)|list }} {{ dict(a=value) }} {{ three(three(value)) is string }} {{ three(value)|length }}
{%- autoescape false %} {{ three(value) }}{{ three("<") ~ value }}{% endautoescape %}"""


def give(value: object, ending: str = "") -> str:
    return f"<{value}>{ending}"


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_is_called_gives_the_same_as_with_jinja_alone(value: object, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(CALLS)
    deep = {"made": value, "real": 3}
    shown = {"value": value, "give": give, "part": partial(give, "x"), "shown": {"made": "<", "deep": deep}}
    alone = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    expected = alone.from_string(CALLS).render(shown)
    assert Templates([tmp_path]).get_template("page.html").render(shown) == expected


@pytest.mark.parametrize("call", ["one()", "one(1, 2, 3)", "one(1, other=2)", "one(1, a=1)"])
def test_what_is_called_wrongly_is_refused_as_by_jinja_alone(call: str, tmp_path: Path) -> None:
    text = f"{{% macro one(a, b=1) %}}{{{{ a }}}}{{{{ b }}}}{{% endmacro %}}{{{{ {call} }}}}"
    (tmp_path / "page.html").write_text(text)
    with pytest.raises((TypeError, UndefinedError)) as alone:
        Environment(autoescape=True, undefined=StrictUndefined).from_string(text).render()
    with pytest.raises(type(alone.value)) as ours:
        Templates([tmp_path]).get_template("page.html").render()
    assert str(ours.value) == str(alone.value)


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
