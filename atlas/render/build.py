"""From a project's content to its finished site: what each collection gives, and from all of it the pages of the whole.

A collection that is as it was is not loaded; what its pages are is read, one text at a time, when they are written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from atlas.checks.grounds import sources_of
from atlas.checks.pinned import Pinned
from atlas.entries.atlas import Atlas
from atlas.entries.survey import survey
from atlas.issues import Issue, ordered
from atlas.kept import Kept, unsaid
from atlas.markup.code import stylesheet
from atlas.node.environment import prepare
from atlas.node.process import Formula, Typeset
from atlas.node.typesetter import Typesetter
from atlas.render import addresses
from atlas.render.ahead import Ahead
from atlas.render.citation import Citations
from atlas.render.compiled import Compiled
from atlas.render.finishing import Finishing, PageBatch, Titles, count_forms, digest_of, made_files
from atlas.render.fonts import Glyphs, shrink
from atlas.render.gathering import Gathered
from atlas.render.general import general_key
from atlas.render.made import MadePiece, Text
from atlas.render.piece_making import Known
from atlas.render.pieces import Piece, name_of
from atlas.render.prose_pages import prose_renderer
from atlas.render.redirects import source_redirects
from atlas.render.relatives import RelativesRenderer
from atlas.render.rows import OnDemand
from atlas.render.search_share import found_groups
from atlas.render.site import PageStore, Settings, Site, SiteAsset, Streamed
from atlas.render.stylesheet import diagram_rules, site_scripts, site_stylesheets
from atlas.render.texts import Reader
from atlas.render.uses import Related
from atlas.render.whole import FIRST_LINES, LAST_LINES, Whole
from atlas.sources.progress import Progress
from atlas.sources.store import SourceStore

FEW_PAGES = 2_000
"""Up to how many pages stay once they are finished; of more, a build finishes each three or four times."""
FORMS = 3
"""In how many other forms most pages are published."""


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
        gathered.gather(partial(_make_ahead, settings, pinned, general, node))
        issues = tuple(ordered([*issues, *gathered.issues]))
        prose = prose_renderer(node.typeset)
        if any(issue.severity == "error" for issue in issues):
            return Site((), (), (), issues, prose, close=closing.close)
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
        self._uses = self._whole.uses
        self._pieces = ahead.pieces

    def site(self, close: Callable[[], None]) -> Site:
        """All of it, ready to be written."""
        settings, glyphs = self._settings, Glyphs()
        for made in self._made:
            glyphs.note_text(made.characters)
        fonts = self._ahead.fonts
        known = Known(self._made, self._uses, self._issues, tuple(fonts.values()), glyphs.characters)
        self._ahead.making.know(known)
        wanted = list(self._whole.pieces())
        others = self._pieces.gather(wanted)
        last = self._whole.index(others)
        (index,) = self._pieces.gather([last], others)
        pieces = [*zip(wanted, others, strict=True), (last, index)]
        found = found_groups([one.found for one in self._made], (group for one in others for group in one.found))
        for _, one in pieces:
            glyphs.note_text(one.characters)
        titles, counted = Titles(), []
        are_few = sum(len(one.pages) for one in self._made) <= FEW_PAGES
        for batch in self._batches(pieces):
            pages = batch.pages()
            titles.note(pages)
            stays = replace(batch, pages=partial(tuple, pages)) if are_few else batch
            counted.append((stays, len(pages), count_forms(pages)))
        titles.settle()
        citations = Citations((one.citation for one in self._made), settings.site_name, settings.site_url)
        finishing = Finishing(Related(self._uses), RelativesRenderer(settings, self._kept), titles, citations)
        self._uses.forget()
        forms = self._forms(pieces, ((batch, count) for batch, _, count in counted), finishing)
        assets = (
            *_assets(self._ahead.katex, settings, max((one.nodes for one in self._made), default=0)),
            *self._collection_files(),
            *self._piece_files(pieces),
            self._every_line(pieces),
            citations.of_atlas(),
        )
        redirects = [redirect for one in self._made for redirect in one.redirects]
        redirects += [redirect for one in self._pinned.sources.values() for redirect in source_redirects(one)]
        return Site(
            OnDemand(((count, partial(finishing.pages, batch)) for batch, count, _ in counted), FEW_PAGES),
            assets,
            OnDemand(forms, FEW_PAGES * FORMS),
            self._issues,
            prose_renderer(_Noted(self._node, glyphs).typeset),
            tuple(redirects),
            tuple(found),
            close,
            partial(_settle, fonts, glyphs, self._kept, self._node),
            self._kept.in_copy,
            Compiled(self._kept, "site"),
        )

    def _batches(self, pieces: Sequence[tuple[Piece, MadePiece]]) -> Iterator[PageBatch]:
        """All pages in the order of the navigation: home, models, libraries, and the rest."""
        homes = [(piece, one) for piece, one in pieces if piece.kind == "home"]
        others = [(piece, one) for piece, one in pieces if piece.kind != "home"]
        yield from self._piece_batches(homes)
        # Models come before libraries, each kind in the order of its folders.
        for made in sorted(self._made, key=lambda one: not one.is_model):
            read = self._gathered.reader(made.id)
            yield from (PageBatch(chunk.records, read, made.leads) for chunk in made.pages.chunks)
        yield from self._piece_batches(others)

    def _piece_batches(self, pieces: Iterable[tuple[Piece, MadePiece]]) -> Iterator[PageBatch]:
        for piece, one in pieces:
            yield PageBatch(partial(tuple, one.pages), Reader(self._pieces, name_of(piece)), one.leads)

    def _forms(
        self, pieces: Iterable[tuple[Piece, MadePiece]], batches: Iterable[tuple[PageBatch, int]], finishing: Finishing
    ) -> Iterator[tuple[int, Callable[[], Sequence[SiteAsset]]]]:
        """The other forms of pages in parts; how many files each part has, and what makes them."""
        for made in self._made:
            read = self._gathered.reader(made.id)
            for chunk in made.forms.chunks:
                yield chunk.count, partial(made_files, chunk.records, read, made.leads)
        for piece, one in pieces:
            files = [file for file in one.files if file.page is not None]
            read = Reader(self._pieces, name_of(piece))
            yield len(files), partial(made_files, partial(tuple, files), read, one.leads)
        for batch, count in batches:
            yield count, partial(finishing.forms, batch)

    def _collection_files(self) -> Iterator[SiteAsset]:
        """The files that collections give beside their pages."""
        passages: dict[str, SiteAsset] = {}
        for one in self._made:
            read = self._gathered.reader(one.id)
            yield from made_files(partial(tuple, one.files), read, one.leads)
            for asset in made_files(partial(tuple, one.passages), read, one.leads):
                passages.setdefault(asset.url, asset)
        yield from passages.values()

    def _piece_files(self, pieces: Iterable[tuple[Piece, MadePiece]]) -> Iterator[SiteAsset]:
        for piece, one in pieces:
            files = [file for file in one.files if file.page is None]
            yield from made_files(partial(tuple, files), Reader(self._pieces, name_of(piece)), one.leads)

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

        def links() -> Iterator[str]:
            for text, read in texts:
                yield from read.links(text)

        content = Streamed(lines, digest_of(*(text.digest for text, _ in texts)))
        return SiteAsset(addresses.EVERYTHING, content, more_links=links, repeats=True)


def _settle(fonts: Mapping[Path, Path], glyphs: Glyphs, kept: Kept, node: Typesetter) -> None:
    """Cut the fonts down, as all is typeset, and end what typeset it."""
    shrink(fonts, glyphs.characters, kept)
    node.close()


def _make_ahead(settings: Settings, pinned: Pinned, general: str, typesetter: Typesetter) -> None:
    """Make and keep what follows from no collection, with a cache of its own and the build's Node."""
    # The process that has begun the build has the same cache before it, and tells of it.
    with Kept(tell=unsaid) as kept, Typesetter(kept, sharing=typesetter.sharing) as node:
        store = PageStore(settings.workspace / f"bodies-ahead-{os.getpid()}")
        Ahead(settings, pinned, kept, node, store, general).make()


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
