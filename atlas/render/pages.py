"""Views → finished pages: one template for each kind, rendered with autoescape and strict about undefined names.

Headings are noted while a template runs, so that the table of contents cannot differ from the page.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atlas.entries.atlas import Placed
from atlas.render.alternates import alternates
from atlas.render.component_view import ComponentView
from atlas.render.deferred import Typesetting
from atlas.render.edit_links import Edits
from atlas.render.finished import Finished
from atlas.render.site import Body, Heading, NavSection, PageStore, Settings, SitePage, relative_url
from atlas.render.structure_view import StructureView
from atlas.render.thin import thin
from atlas.render.weight import ROOMS, Room, is_light, roomiest

PASSAGES = "passages/"
"""The folder of code that pages bring when a reader comes near."""

_INDENT = re.compile(
    r"(?<=>)\n\s*(?=</?(?:article|caption|d[dlt]|details|div|h\d|header|li|nav|[ou]l|p|section|summary|t[dhr]|t[a-z]{4,5})\b)"
)
"""White space between a tag and that of a block, which is never seen; code has no tags of blocks in it."""


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
    finished: Finished | None = None
    """The page as it was kept, of which nothing is to be made again; its view is None then."""


def distinct(plans: Sequence[PagePlan]) -> list[PagePlan]:
    """The plans with titles and descriptions that tell the pages apart: in a list of results nothing else is seen."""
    titles = Counter(plan.document_title for plan in plans)
    named = [
        plan
        if titles[plan.document_title] == 1
        else replace(plan, document_title=f"{plan.document_title} ({plan.url.rstrip('/')})")
        for plan in plans
    ]
    texts = Counter(plan.description for plan in named)
    return [
        plan
        if texts[plan.description] == 1
        else replace(plan, description=f"{plan.document_title}: {plan.description}")
        for plan in named
    ]


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


class Renderer:
    """Renders planned pages; a folder that is given first may hold other templates than the theme's own."""

    def __init__(self, settings: Settings, typesetting: Typesetting) -> None:
        own = Path(str(files("openmodelatlas_theme")))
        self._settings = settings
        self._typesetting = typesetting
        self._environment = Environment(
            loader=FileSystemLoader([*settings.templates, own]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # templates do not change during a build, and each look for changes asks the disk
        )
        self.passages: dict[str, str] = {}
        """Code that pages bring when a reader comes near, by address; there once the pages are rendered."""

    def render(self, plans: Iterable[PagePlan], store: PageStore) -> Iterator[SitePage]:
        """Render pages one at a time; their bodies go to the store, where those of finished ones are."""
        for plan in plans:
            structure: Body | None
            if plan.finished is not None:
                forms, headings = plan.finished.forms, plan.finished.headings
                body: Body = forms["body"].text
                structure = forms["structure"].text
            else:
                made = self.made(plan)
                headings = made.headings
                structure = store.keep(made.column) if made.column else None
                body = store.keep(made.body)
                self.passages |= made.passages
            yield SitePage(
                url=plan.url,
                title=plan.title,
                kind=plan.kind,
                description=plan.description,
                headings=headings,
                edit_path=plan.edit_path,
                nav=plan.nav,
                body=body,
                context={"document_title": plan.document_title, "structure": structure},
                alternates=alternates(plan.kind, plan.url),
            )

    def made(self, plan: PagePlan) -> Made:
        """Everything that one page is made of."""
        self._typesetting.page = plan.url
        column = self._column(plan)
        body, outline, passages = self._body(plan, column)
        return Made(body, column, tuple(outline.headings), passages.kept)

    def _column(self, plan: PagePlan) -> str:
        """The structure beside the page, if any."""
        if plan.structure is None:
            return ""
        template = self._environment.get_template("entity/structure.html")
        return template.render(view=plan.structure, to=partial(_link, page=plan.url))

    def _body(self, plan: PagePlan, column: str) -> tuple[str, Outline, Passages]:
        """The page with as much code as there is room for, its headings, and the code that is left out."""
        if not isinstance(plan.view, ComponentView):
            return self._rendered(plan, ROOMS[0])

        def fits(room: Room) -> bool:
            body, outline, _ = self._rendered(plan, room)
            return is_light(_around(plan, outline), column, body)

        longest = max((len(one.code) for one in plan.view.excerpts), default=0)
        return self._rendered(plan, roomiest(longest, fits))

    def _rendered(self, plan: PagePlan, room: Room) -> tuple[str, Outline, Passages]:
        """The page with so much code, its headings, and the code that is left out."""
        outline, passages = Outline(), Passages()
        html = self._environment.get_template(f"entity/{plan.kind}.html").render(
            view=plan.view,
            outline=outline,
            to=partial(_link, page=plan.url),
            edit=Edits(plan.owner, self._settings.root, self._settings.content, self._settings.edit_address),
            site_name=self._settings.site_name,
            room=room,
            passage=passages.keep,
        )
        return thin(_INDENT.sub("", html)), outline, passages


def _around(plan: PagePlan, outline: Outline) -> str:
    """About what the host prints around the page that is not the same on all: titles, addresses and contents."""
    listed = "".join(f'<li><a href="#{one.id}">{one.title}</a></li>' for one in outline.headings)
    return f"{plan.document_title}\n{plan.description}\n{plan.url}\n{plan.edit_path}\n{listed}"


def _link(target: str, page: str) -> str:
    """The link from a page to an address on the site; addresses of other sites stay as they are."""
    return target if target.startswith("https://") else relative_url(target, page)
