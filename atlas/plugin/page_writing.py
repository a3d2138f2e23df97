"""How a page that is made from entries is written: what the template is shown, and who writes it.

Where no plugin but ours takes part, pages and the files beside them are written on all cores; else MkDocs writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mkdocs.commands.build import get_context
from mkdocs.structure.files import File

from atlas.plugin.assets import AssetFile
from atlas.plugin.copies import Task, in_copies
from atlas.plugin.current import Build
from atlas.plugin.navigation import Menus
from atlas.plugin.new_files import NewFiles
from atlas.plugin.pages import DRAFTS, EntityPage, table_of_contents
from atlas.plugin.reuse import PAGE, SiteFiles
from atlas.render.links import LinkCheck
from atlas.render.navigation import Menu

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def show_entity(shown: dict[str, object], page: EntityPage, menu: Menu, body: str) -> None:
    """Give the template what it shows of a page that is made from entries."""
    shown.update(menu=menu, alternates=page.source.alternates, atlas=page.source)
    page.content = body
    page.toc = table_of_contents(page.source.headings(), finished=True)


def write_in_copies(build: Build, env: Environment, files: SiteFiles, entities: Iterable[EntityPage]) -> frozenset[str]:
    """Write on all cores what is not there, where that pays; the source paths of pages that are written then."""
    forms = build.forms
    if build.site is None or build.menus is None or forms is None or build.shown:
        return frozenset()
    pages = [page for page in entities if page.file.src_uri not in files.finished and page.file.inclusion not in DRAFTS]
    # What is a file already is moved or copied by this process, which costs little.
    assets = [file for file in files if isinstance(file, AssetFile) and not isinstance(file.asset.content, Path)]
    # Where these cannot be written the build ends, so that links to them need no further look.
    known = {page.file.dest_uri for page in (*pages, *build.finished)} | {file.dest_uri for file in assets}
    assets = [file for file in assets if not file.find_same()]
    known.update(forms.urls)
    left = forms.left()
    new = NewFiles()  # each copy has it to itself
    note = build.note_asset
    write = partial(_write_page, build, env.get_template(PAGE), build.menus, files.documentation_pages(), new)

    def task(place: int) -> Task:
        if place < len(pages):
            page = pages[place]
            return Task(partial(write, page), partial(build.note_links, page.source, None))
        place -= len(pages)
        file = assets[place] if place < len(assets) else forms[left[place - len(assets)]]
        return Task(partial(file.write_by, new.write), _no_note if file.asset.repeats else partial(note, file.asset))

    done = in_copies(len(pages) + len(assets) + len(left), task, build.links, known, build.site.copied, build.ids_of)
    for place, file in enumerate(assets, len(pages)):
        if place in done:
            file.is_done = True
            if not file.asset.repeats:
                build.noted.add(file.asset.url)
    for place, number in enumerate(left, len(pages) + len(assets)):
        if place in done:
            forms.note(number)
    return frozenset(page.file.src_uri for place, page in enumerate(pages) if place in done)


def _no_note(_: LinkCheck) -> None:
    """What is noted of a file whose links other files have too: nothing, unless one of them proves to be dead."""


def _write_page(
    build: Build, template: Template, menus: Menus, pages: Sequence[File], new: NewFiles, page: EntityPage
) -> None:
    """Write a page as MkDocs does where no plugin but ours takes part."""
    page.active = True
    try:
        context = get_context(menus.nav, pages, build.config, page)
        # Beside the structure of a model our theme shows no more of the menu than its top.
        menu = menus.menu(page) if page.source.context.get("structure") is None else menus.top(page)
        show_entity(cast("dict[str, object]", context), page, menu, page.source.body())
        new.write(template.render(context).encode(errors="xmlcharrefreplace"), page.file.abs_dest_path)
    finally:
        page.active = False
        page.show_summary()
        page.toc = None
