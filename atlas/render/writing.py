"""Plans, files and records → what is kept of them: texts that lie one after the other, and where each of them is.

A collection and a piece of the whole are written in the same way, so that both are kept and read alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from atlas.entries.atlas import Entry
from atlas.kept import Kept, key_of
from atlas.operators.catalogue import find
from atlas.render.addresses import markdown_file
from atlas.render.data_files import DataFile, settled
from atlas.render.deferred import Typesetting
from atlas.render.json_written import WrittenDocument
from atlas.render.link import Link
from atlas.render.links import anchor_ids, leads, outward
from atlas.render.made import MadeFile, MadePage, Text, Writing
from atlas.render.markdown_pages import MarkdownRenderer
from atlas.render.pages import PagePlan, Renderer
from atlas.render.shown_code import ShownCode
from atlas.render.site import Heading, Settings

_RELATIVE = (Link("Relative", "relative/"),)
"""Stands for the relatives of a page, which are known last: the headings above them are the same."""


class Press:
    """What pages are rendered with; what is the same for all of them is made once."""

    def __init__(self, settings: Settings, kept: Kept) -> None:
        self.typesetting = Typesetting(has_folders=settings.has_folders)
        self.code = ShownCode(kept)
        self.renderer = Renderer(settings, self.typesetting, kept)
        self.markdown = MarkdownRenderer(settings.site_name, settings.templates, kept)
        self.root_path = urlsplit(settings.site_url).path or "/" if settings.site_url else ""
        """The path of the site's root."""
        self._also_in: tuple[Heading, ...] | None = None

    def also_in(self) -> tuple[Heading, ...]:
        """The headings of what pages say of relatives."""
        if self._also_in is None:
            self._also_in = self.renderer.also_in("page/", _RELATIVE, None)[1]
        return self._also_in


@dataclass(slots=True)
class Sheets:
    """What was written of one collection or piece."""

    press: Press
    """What renders it."""
    texts: Writing = field(default_factory=Writing)
    """All texts."""
    files: list[MadeFile] = field(default_factory=list)
    """The files beside the pages."""
    forms: list[MadeFile] = field(default_factory=list)
    """The files that are other forms of pages."""
    passages: dict[str, MadeFile] = field(default_factory=dict)
    """Code for which pages have no room, by address."""
    leads: set[str] = field(default_factory=set)
    """The addresses that any of it leads to."""
    _lines: list[str] = field(default_factory=list)
    _line_links: set[str] = field(default_factory=set)

    def page(self, plan: PagePlan) -> MadePage:
        """Render a page."""
        rendered = self.press.renderer.made(plan)
        for url, html in rendered.passages.items():
            if url not in self.passages:
                self.passages[url] = MadeFile(url, self.texts.add(json.dumps(html)))
        text, links = self.press.markdown.made(plan)
        entry = plan.owner if isinstance(plan.owner, Entry) else None
        ids = anchor_ids(rendered.body)
        links_out = outward(plan.url, rendered.body, self.press.root_path, ids)
        self._lead(plan.url, links_out)
        self._lead(markdown_file(plan.url), links)
        body = self.texts.add(rendered.body, links_out)
        column = self.texts.add(rendered.column) if rendered.column else None
        told = (body.digest, column.digest if column is not None else b"", repr(rendered.headings))
        return MadePage(
            plan.url,
            plan.kind,
            plan.title,
            plan.document_title,
            plan.description,
            plan.edit_path,
            plan.nav,
            self.texts.add(json.dumps([one.fields() for one in rendered.headings])),
            key_of("page made", *told),
            body=body,
            column=column,
            markdown=self.texts.add(text, links),
            ids=self.texts.add(" ".join(sorted(ids))),
            fonts=rendered.fonts,
            entry=entry.id if entry is not None else "",
            operator=entry.data.operator if entry is not None else "",
            family=find(entry.data.operator).family if entry is not None else "",
            also_in=self.press.also_in() if entry is not None else (),
        )

    def data(self, file: DataFile) -> None:
        """Write a file, once every formula in it is typeset."""
        self.files.append(MadeFile(file.url, self.texts.add(str(settled(file).content))))

    def document(self, one: WrittenDocument) -> None:
        """Write a record."""
        text = self.texts.add(f"{one.text}\n", one.links)
        self._lead(one.url, one.links)
        (self.files if one.page is None else self.forms).append(MadeFile(one.url, text, one.page))
        self._lines.append(one.line)
        self._line_links.update(one.line_links)

    def documents(self, given: Iterable[WrittenDocument]) -> None:
        """Write records."""
        for one in given:
            self.document(one)

    def _lead(self, url: str, links: Iterable[str]) -> None:
        self.leads.update(leads(url, links, self.press.root_path))

    def lines(self) -> Text:
        """The lines of all records that were written, in the file of all records."""
        return self.texts.add("".join(f"{line}\n" for line in self._lines), frozenset(self._line_links))
