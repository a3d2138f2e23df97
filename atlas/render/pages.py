"""Views → finished pages: one template for each kind, rendered with autoescape and strict about undefined names.

Headings are noted while a template runs, so that the table of contents cannot differ from the page.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from atlas.entries.atlas import Placed
from atlas.kept import Kept
from atlas.markup.code import CodeLine, CodeLines, list_items
from atlas.render.columns import Columns
from atlas.render.compiled import Compiled
from atlas.render.component_view import ComponentView
from atlas.render.deferred import Typesetting
from atlas.render.edit_links import Edits
from atlas.render.link import Link
from atlas.render.printing import ALSO_IN, Templates
from atlas.render.relative import relative_url
from atlas.render.site import Heading, NavSection, Settings
from atlas.render.structure_view import StructureView
from atlas.render.weight import ROOMS, Room, is_light, roomiest

STRUCTURE = "entity/structure.html"
"""The template of the column beside a page."""
ALSO = "entity/also_in.html"
"""The template of what a component's page says of its relatives."""
PASSAGES = "passages/"
"""The folder of code that pages bring when a reader comes near."""

_INDENT = re.compile(
    r">\n\s*(?=</?(?:article|caption|d[dlt]|details|div|h\d|header|li|nav|[ou]l|p|section|summary|t[dhr]|t[a-z]{4,5})\b)"
)
"""A tag's end with white space between it and the tag of a block, which is never seen; code has no tags of blocks."""


@dataclass(frozen=True, slots=True)
class PagePlan:
    """One page before it is rendered."""

    url: str
    """Its address below the site's root."""
    kind: str
    """Its kind, which is its template's name too."""
    title: str
    """Its title in the navigation."""
    document_title: str
    """Its title in the browser."""
    description: str
    """One plain sentence."""
    edit_path: str | None
    """The YAML that it is made from, relative to the content folder."""
    nav: tuple[NavSection, ...] | None
    """The sections of the navigation that lead to it; None keeps it out."""
    view: object
    """What its template shows."""
    structure: StructureView | None = None
    """The structure of the model or library that it belongs to."""
    owner: Placed | None = None
    """The entry or collection whose claims it shows."""


class Outline:
    """The headings of one page, noted by its template."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []

    def add(self, level: int, name: str, title: str) -> str:
        """Note a heading; prints nothing."""
        self.headings.append(Heading(level, name, title))
        return ""


class Passages:
    """Code for which one page has no room, each piece a file of its own."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def keep(self, html: str) -> str:
        """Keep a piece, and tell the address of its file, which is the same for the same code."""
        text = str(html)
        url = f"{PASSAGES}{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        self.kept[url] = text
        return url


@dataclass(frozen=True, slots=True)
class Made:
    """What one page is made of."""

    body: str
    """Its HTML."""
    column: str
    """The structure beside it; empty where there is none."""
    headings: tuple[Heading, ...]
    """Its table of contents."""
    passages: Mapping[str, str]
    """Code for which it has no room, by the address of its file."""
    fonts: tuple[str, ...]
    """The files of the fonts that its formulas use."""


class Renderer:
    """Renders planned pages; a folder that is given first may hold other templates than the theme's own."""

    def __init__(self, settings: Settings, typesetting: Typesetting, kept: Kept | None = None) -> None:
        self._settings = settings
        self._typesetting = typesetting
        self._environment = Templates(
            settings.templates, compiled=Compiled(kept, "pages") if kept is not None else None
        )
        self._edited: dict[str, str | None] = {}
        self._columns = Columns(
            partial(self._environment.get_template, STRUCTURE), is_own=self._environment.has_own(STRUCTURE)
        )
        self._environment.filters["list_items"] = _list_items

    def load(self, kind: str) -> None:
        """Compile and keep the template of a kind of pages, with all that it takes in."""
        for name in (f"entity/{kind}.html", STRUCTURE, ALSO):
            self._environment.load(name)

    def made(self, plan: PagePlan) -> Made:
        """Everything that one page is made of."""
        self._typesetting.begin_page(plan.url)
        column = "" if plan.structure is None else self._columns.column(plan.structure, plan.url)
        body, outline, passages = self._body(plan, column)
        return Made(body, column, tuple(outline.headings), passages.kept, self._typesetting.fonts)

    def also_in(self, page: str, links: Sequence[Link], more: Link | None) -> tuple[str, tuple[Heading, ...]]:
        """What the page at an address says of its relatives, with its heading."""
        outline = Outline()
        template = self._environment.get_template(ALSO)
        html = template.render(links=links, more=more, outline=outline, to=partial(_link, page=page))
        return _INDENT.sub(">", html).strip(), tuple(outline.headings)

    def _body(self, plan: PagePlan, column: str) -> tuple[str, Outline, Passages]:
        """The page with as much code as there is room for, its headings, and the code that is left out."""
        if not isinstance(plan.view, ComponentView):
            return self._rendered(plan, ROOMS[0])

        tried: dict[Room, tuple[str, Outline, Passages]] = {}

        def fits(room: Room) -> bool:
            tried[room] = body, outline, _ = self._rendered(plan, room)
            return is_light(_around(plan, outline), column, body)

        longest = max((len(one.code) for one in plan.view.excerpts), default=0)
        room = roomiest(longest, fits)
        return tried[room] if room in tried else self._rendered(plan, room)

    def _rendered(self, plan: PagePlan, room: Room) -> tuple[str, Outline, Passages]:
        """The page with so much code, its headings, and the code that is left out."""
        outline, passages, site = Outline(), Passages(), self._settings
        html = self._environment.get_template(f"entity/{plan.kind}.html").render(
            view=plan.view,
            outline=outline,
            to=partial(_link, page=plan.url),
            edit=Edits(plan.owner, site.root, site.content, site.edit_address, self._edited),
            site_name=site.site_name,
            room=room,
            passage=passages.keep,
            also_in=ALSO_IN,
        )
        return _INDENT.sub(">", html), outline, passages


def _list_items(lines: Sequence[CodeLine]) -> Markup:
    """Lines of code as items of a list."""
    return lines.items if isinstance(lines, CodeLines) else list_items(lines)


def _around(plan: PagePlan, outline: Outline) -> str:
    """About what the host prints around the page that is not the same on all: titles, addresses and contents."""
    listed = "".join(f'<li><a href="#{one.id}">{one.title}</a></li>' for one in outline.headings)
    return f"{plan.document_title}\n{plan.description}\n{plan.url}\n{plan.edit_path}\n{listed}"


def _link(target: str, page: str) -> str:
    """The link from a page to an address on the site; addresses of other sites stay as they are."""
    return target if target.startswith("https://") else relative_url(target, page)
