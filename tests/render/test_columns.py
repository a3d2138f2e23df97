"""What the columns of a folder show alike is made once, and shows in nothing but the time."""

from __future__ import annotations

from functools import partial

import pytest
from jinja2 import Environment, StrictUndefined, Template

from atlas.render.columns import Columns
from atlas.render.relative import relative_url
from atlas.render.structure_view import PlaceItem, StackItem, StructureView

PLACE = (
    '{%- macro place(one) -%}<a{% if one.is_current %} current{% endif %} href="{{ to(one.url) }}">{{ one.title }}</a>'
)
EACH = (
    PLACE
    + "{%- endmacro -%}<i>{{ view.title }}</i>{% for one in view.parts[0].parts %}{{ again(place, one) }}{% endfor %}"
)
SOME = EACH.replace("again(place, one)", "(place(one) if one.is_here else again(place, one))")
NONE = EACH.replace("again(place, one)", "place(one)")
URLS = ("m/s/a/", "m/s/b/", "m/s/a/", "m/s/b/below/", "m/c/")


class Counted:
    """A template that counts how often it is asked for."""

    def __init__(self, text: str) -> None:
        self.template = Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
        self.times = 0

    def __call__(self) -> Template:
        self.times += 1
        return self.template


UNMARKED = tuple(PlaceItem(f"<{url}>", url, "linear", is_current=False, is_here=False) for url in URLS)


def view(page: str) -> StructureView:
    first = URLS.index(page) if page in URLS else -1
    items = tuple(PlaceItem(f"<{url}>", url, "linear", at == first, url == page) for at, url in enumerate(URLS))
    return StructureView("M", "m/", page == "m/", (StackItem("S", "m/#s", "", items),), 0, UNMARKED)


@pytest.mark.parametrize("text", [EACH, SOME, NONE])
def test_a_column_is_what_its_template_alone_prints(text: str) -> None:
    columns, template = Columns(Counted(text)), Counted(text).template
    for page in [*URLS, "m/", *reversed(URLS)]:
        to = partial(relative_url, page=page)
        expected = template.render(view=view(page), to=to, again=lambda macro, one: macro(one))
        assert columns.column(view(page), page) == expected


def test_the_pages_of_a_folder_share_what_is_around_the_places() -> None:
    template = Counted(EACH)
    columns = Columns(template)
    first, second = columns.column(view("m/s/a/"), "m/s/a/"), columns.column(view("m/s/b/"), "m/s/b/")
    assert template.times == 1
    assert first.count(" current") == second.count(" current") == 1
    columns.column(view("m/c/"), "m/c/")
    assert template.times == 2


def test_a_template_of_the_author_may_print_anything_of_each_page() -> None:
    told = "{% for one in view.parts[0].parts if one.is_current %}You are at {{ one.title }}.{% endfor %}"
    text = told + EACH.replace("{{ one.title }}", "{{ one.title }} of {{ told }}")
    text = text.replace("view.title", "view.parts[0].parts | selectattr('is_here') | map(attribute='title') | join")
    text = text.replace("{{ told }}", "{{ view.parts[0].parts | selectattr('is_here') | list | length }}")
    columns, template = Columns(Counted(text), is_own=False), Counted(text).template
    for page in URLS:
        to = partial(relative_url, page=page)
        expected = template.render(view=view(page), to=to, again=lambda macro, one: macro(one))
        assert columns.column(view(page), page) == expected
