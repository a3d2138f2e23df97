"""From a project's content to its finished site: what each collection gives, and from all of it the pages of the whole.

A collection that is as it was is not loaded; what its pages are is read, one text at a time, when they are written.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.resources import files
from itertools import starmap
from pathlib import Path

from atlas.checks.grounds import sources_of
from atlas.entries.atlas import Atlas
from atlas.entries.survey import survey
from atlas.issues import Issue, ordered
from atlas.kept import Kept
from atlas.markup.code import stylesheet
from atlas.node.environment import prepare
from atlas.node.process import Formula, Typeset
from atlas.node.typesetter import Typesetter
from atlas.render import addresses
from atlas.render.ahead import Ahead
from atlas.render.alternates import alternates
from atlas.render.citation import citation_files
from atlas.render.compiled import Compiled
from atlas.render.fonts import Glyphs, shrink
from atlas.render.gathering import Gathered
from atlas.render.general import general_key
from atlas.render.made import MadeFile, MadePage, MadePiece, Text
from atlas.render.piece_making import Known
from atlas.render.pieces import Piece, name_of
from atlas.render.prose_pages import prose_renderer
from atlas.render.redirects import source_redirects
from atlas.render.relatives import RelativesRenderer
from atlas.render.search_share import found_groups
from atlas.render.site import Heading, PageStore, Produced, Settings, Site, SiteAsset, SitePage, Streamed
from atlas.render.stylesheet import diagram_rules, site_scripts, site_stylesheets
from atlas.render.texts import Reader
from atlas.render.uses import Related, Relatives
from atlas.render.whole import FIRST_LINES, LAST_LINES, Whole
from atlas.sources.progress import Progress
from atlas.sources.store import SourceStore


def build_site(settings: Settings) -> Site:
    """The site of the content in `settings.content`.

    What is wrong with the content is returned as the site's issues or raised as a ContentError that carries them; what
    keeps the build from working at all is raised as another AtlasError.
    """
    kept = Kept()
    node = Typesetter(kept, partial(prepare, progress=settings.say))
    closing = ExitStack()
    closing.enter_context(kept)
    closing.enter_context(node)
    try:
        found = survey(settings.root, settings.content, settings.sources)
        make_store = partial(_store, progress=Lines(settings.say))
        pinned, issues = sources_of(found, make_store, settings.missing_sources)
        store = PageStore(settings.workspace / "bodies")
        general = general_key(settings)
        gathered = Gathered(settings, found, pinned, kept, node, store, general)
        ahead = Ahead(settings, pinned, kept, node, store, general)
        gathered.gather(ahead.make)
        issues = tuple(ordered([*issues, *gathered.issues]))
        prose = prose_renderer(node.typeset)
        if any(issue.severity == "error" for issue in issues):
            return Site((), (), issues, prose, close=closing.close)
        return _Whole(ahead, gathered, issues).site(closing.close)
    except BaseException:
        closing.close()
        raise


class _Whole:
    """The site of collections that all hold."""

    def __init__(self, ahead: Ahead, gathered: Gathered, issues: tuple[Issue, ...]) -> None:
        self._ahead = ahead
        self._settings = ahead.settings
        self._pinned = ahead.pinned
        self._kept = ahead.kept
        self._node = ahead.node
        self._gathered = gathered
        self._issues = issues
        self._made = tuple(gathered.made[name] for name in sorted(gathered.made))
        self._whole = Whole(self._settings, self._pinned, self._kept, self._made, ahead.general)
        self._pieces = ahead.pieces
        self._related = Related(self._whole.uses)
        self._relatives = RelativesRenderer(self._settings, self._kept)

    def site(self, close: Callable[[], None]) -> Site:
        """All of it, ready to be written."""
        settings, glyphs = self._settings, Glyphs()
        for made in self._made:
            glyphs.note_text(made.characters)
        fonts = self._ahead.fonts
        known = Known(self._made, self._whole.uses, self._issues, tuple(fonts.values()), glyphs.characters)
        self._ahead.making.know(known)
        wanted = list(self._whole.pieces())
        others = self._pieces.gather(wanted)
        last = self._whole.index(others)
        (index,) = self._pieces.gather([last], others)
        pieces = [*zip(wanted, others, strict=True), (last, index)]
        found = found_groups([one.found for one in self._made], (group for one in others for group in one.found))
        pages = list(self._pages(pieces))
        titled = distinct([page for page, *_ in pages])
        for _, one in pieces:
            glyphs.note_text(one.characters)
        assets = (
            *_assets(self._ahead.katex, settings, max((one.nodes for one in self._made), default=0)),
            *self._collection_files(),
            *self._piece_files(pieces),
            self._every_line(pieces),
            *starmap(self._markdown, pages),
            *citation_files((one.citation for one in self._made), titled, settings.site_name, settings.site_url),
        )
        redirects = [redirect for one in self._made for redirect in one.redirects]
        redirects += [redirect for one in self._pinned.sources.values() for redirect in source_redirects(one)]
        return Site(
            tuple(self._page(page, read, leads) for page, (_, read, leads) in zip(titled, pages, strict=True)),
            assets,
            self._issues,
            prose_renderer(_Noted(self._node, glyphs).typeset),
            tuple(redirects),
            tuple(found),
            close,
            partial(_settle, fonts, glyphs, self._kept, self._node),
            self._kept.in_copy,
            Compiled(self._kept, "site"),
        )

    def _pages(self, pieces: Sequence[tuple[Piece, MadePiece]]) -> Iterator[tuple[MadePage, Reader, str]]:
        """All pages in the order of the navigation: home, models, libraries, and the rest."""
        homes = [(piece, one) for piece, one in pieces if piece.kind == "home"]
        others = [(piece, one) for piece, one in pieces if piece.kind != "home"]
        yield from self._pages_of(homes)
        # Models come before libraries, each kind in the order of its folders.
        for made in sorted(self._made, key=lambda one: not one.is_model):
            read = self._gathered.reader(made.id)
            yield from ((page, read, made.leads) for page in made.pages)
        yield from self._pages_of(others)

    def _pages_of(self, pieces: Iterable[tuple[Piece, MadePiece]]) -> Iterator[tuple[MadePage, Reader, str]]:
        for piece, one in pieces:
            read = Reader(self._pieces, name_of(piece))
            yield from ((page, read, one.leads) for page in one.pages)

    def _page(self, page: MadePage, read: Reader, leads: str) -> SitePage:
        """A page as it is written, with its relatives in all collections."""
        body, headings, digest = partial(read.text, page.body), partial(read.headings, page.headings), page.digest
        links = partial(self._links, page, read, None)
        led: tuple[str, ...] = (leads,)
        if page.entry:
            relatives = self._related.of(page.entry, page.operator, page.family)
            body = partial(self._body, page, read, relatives)
            links = partial(self._links, page, read, relatives)
            headings = partial(_with_relatives, headings, page.also_in) if relatives.links else headings
            digest = _digest([page.digest, relatives.digest])
            led = (leads, relatives.leads)
        return SitePage(
            url=page.url,
            title=page.title,
            kind=page.kind,
            description=page.description,
            headings=headings,
            edit_path=page.edit_path,
            nav=page.nav,
            body=body,
            context={
                "document_title": page.document_title,
                "structure": partial(read.text, page.column) if page.column is not None else None,
            },
            alternates=alternates(page.kind, page.url),
            digest=digest,
            leads=led,
            links=links,
            ids=partial(read.words, page.ids),
            fonts=page.fonts,
        )

    def _body(self, page: MadePage, read: Reader, relatives: Relatives) -> str:
        return self._relatives.body(read.text(page.body), page.url, relatives)

    def _links(self, page: MadePage, read: Reader, relatives: Relatives | None) -> frozenset[str]:
        """The links of a page, with those to its relatives."""
        links = read.links(page.body)
        return links if relatives is None else links.union(self._relatives.page_links(page.url, relatives))

    def _markdown(self, page: MadePage, read: Reader, leads: str) -> SiteAsset:
        """The Markdown of a page."""
        url, text = addresses.markdown_file(page.url), page.markdown
        if not page.entry:
            content = Produced(partial(read.text, text), text.digest)
            return SiteAsset(url, content, more_links=partial(read.links, text), page=page.url, leads=(leads,))
        relatives = self._related.of(page.entry, page.operator, page.family)
        content = Produced(
            partial(self._markdown_text, page, read, relatives), _digest([text.digest, relatives.digest])
        )
        more = partial(self._markdown_links, page, read, relatives)
        return SiteAsset(url, content, more_links=more, leads=(leads, relatives.leads), page=page.url)

    def _markdown_text(self, page: MadePage, read: Reader, relatives: Relatives) -> str:
        return self._relatives.markdown(read.text(page.markdown), page.url, relatives)

    def _markdown_links(self, page: MadePage, read: Reader, relatives: Relatives) -> frozenset[str]:
        return read.links(page.markdown) | self._relatives.links(page.url, relatives)

    def _collection_files(self) -> Iterator[SiteAsset]:
        """The files that collections give beside their pages."""
        passages: dict[str, SiteAsset] = {}
        for one in self._made:
            read = self._gathered.reader(one.id)
            for file in one.files:
                yield _asset(file, read, one.leads)
            for file in one.passages:
                passages.setdefault(file.url, _asset(file, read, one.leads))
        yield from passages.values()

    def _piece_files(self, pieces: Iterable[tuple[Piece, MadePiece]]) -> Iterator[SiteAsset]:
        for piece, one in pieces:
            read = Reader(self._pieces, name_of(piece))
            yield from (_asset(file, read, one.leads) for file in one.files)

    def _every_line(self, pieces: Sequence[tuple[Piece, MadePiece]]) -> SiteAsset:
        """The file of all records: those of the whole, of collections, and of operators and sources."""

        def of(kinds: Iterable[str]) -> list[tuple[Text, Reader]]:
            return [
                (one.lines, Reader(self._pieces, name_of(piece)))
                for kind in kinds
                for piece, one in pieces
                if piece.kind == kind
            ]

        texts: list[tuple[Text, Reader]] = [
            *of(FIRST_LINES),
            *((one.lines, self._gathered.reader(one.id)) for one in self._made),
            *of(LAST_LINES),
        ]

        def lines() -> Iterator[str]:
            for text, read in texts:
                yield read.text(text)

        def links() -> frozenset[str]:
            return frozenset().union(*(read.links(text) for text, read in texts))

        content = Streamed(lines, _digest(text.digest for text, _ in texts))
        return SiteAsset(addresses.EVERYTHING, content, more_links=links)


def _with_relatives(read: Callable[[], tuple[Heading, ...]], more: tuple[Heading, ...]) -> tuple[Heading, ...]:
    return (*read(), *more)


def distinct(pages: Sequence[MadePage]) -> list[MadePage]:
    """The pages with titles and descriptions that tell them apart: in a list of results nothing else is seen."""
    titles = Counter(page.document_title for page in pages)
    named = [
        page
        if titles[page.document_title] == 1
        else replace(page, document_title=f"{page.document_title} ({page.url.rstrip('/')})")
        for page in pages
    ]
    texts = Counter(page.description for page in named)
    return [
        page
        if texts[page.description] == 1
        else replace(page, description=f"{page.document_title}: {page.description}")
        for page in named
    ]


def _asset(file: MadeFile, read: Reader, leads: str) -> SiteAsset:
    content = Produced(partial(read.text, file.text), file.text.digest)
    return SiteAsset(file.url, content, more_links=partial(read.links, file.text), page=file.page, leads=(leads,))


def _digest(parts: Iterable[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _settle(fonts: Mapping[Path, Path], glyphs: Glyphs, kept: Kept, node: Typesetter) -> None:
    """Cut the fonts down, as all is typeset, and end what typeset it."""
    shrink(fonts, glyphs.characters, kept)
    node.close()


def _store(atlas: Atlas, progress: Progress) -> SourceStore:
    return SourceStore({name: source.data for name, source in atlas.sources.items()}, progress=progress)


class Lines:
    """A line for each thing that is brought."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._what = ""

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Take note that `done` of `total` bytes of `what` are here."""
        if what != self._what:
            self._what = what
            self._say(f"Bringing {what}")


class _Noted:
    """Typesets the formulas of prose, and notes what the fonts must be able to show."""

    def __init__(self, typesetter: Typesetter, glyphs: Glyphs) -> None:
        self._typesetter = typesetter
        self._glyphs = glyphs

    def typeset(self, formulas: Iterable[Formula]) -> list[Typeset]:
        """Typeset formulas in one go."""
        results = self._typesetter.typeset(formulas, whole=True)
        self._glyphs.note(dict.fromkeys(results))
        return results


def _assets(installed: Sequence[Path], settings: Settings, most_nodes: int) -> Iterator[SiteAsset]:
    themes, (katex, *others), code = _themes(settings), installed, stylesheet()
    rules = diagram_rules(most_nodes)
    yield from site_stylesheets(themes, rules, code, katex.read_text(encoding="utf-8"))
    yield from site_scripts(themes)
    # What other themes than ours load by `extra_css`.
    yield SiteAsset("css/code.css", code.encode())
    for file in (katex, *others):
        yield SiteAsset(f"katex/{file.relative_to(katex.parent).as_posix()}", file)


def _themes(settings: Settings) -> list[Path]:
    """The folder of our own theme, after those that take the place of files in it."""
    own = Path(str(files("openmodelatlas_theme")))
    given = [folder.resolve() for folder in settings.templates]
    return [*given[: given.index(own.resolve())], own] if own.resolve() in given else [own]
