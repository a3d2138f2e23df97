"""Views → finished pages: one template for each kind, rendered with autoescape and strict about undefined names.

Headings are noted while a template runs, so that the table of contents cannot differ from the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atlas.render.deferred import Typesetting
from atlas.render.site import Heading, NavSection, PageStore, SitePage, relative_url


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


class Outline:
    """The headings of one page, noted by its template."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []

    def add(self, level: int, name: str, title: str) -> str:
        """Note a heading; prints nothing."""
        self.headings.append(Heading(level, name, title))
        return ""


class Renderer:
    """Renders planned pages; a folder that is given first may hold other templates than the theme's own."""

    def __init__(self, site_name: str, templates: Iterable[Path], typesetting: Typesetting) -> None:
        own = Path(str(files("openmodelatlas_theme")))
        self._site_name = site_name
        self._typesetting = typesetting
        self._environment = Environment(
            loader=FileSystemLoader([*templates, own]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(self, plans: Iterable[PagePlan], store: PageStore) -> Iterator[SitePage]:
        """Render pages one at a time; their bodies go to the store."""
        for plan in plans:
            outline = Outline()
            self._typesetting.page = plan.url
            template = self._environment.get_template(f"entity/{plan.kind}.html")
            body = template.render(
                view=plan.view, outline=outline, to=partial(_link, page=plan.url), site_name=self._site_name
            )
            yield SitePage(
                url=plan.url,
                title=plan.title,
                kind=plan.kind,
                description=plan.description,
                headings=tuple(outline.headings),
                edit_path=plan.edit_path,
                nav=plan.nav,
                body=store.keep(body),
                context={"document_title": plan.document_title},
            )


def _link(target: str, page: str) -> str:
    """The link from a page to an address on the site; addresses of other sites stay as they are."""
    return target if target.startswith("https://") else relative_url(target, page)
