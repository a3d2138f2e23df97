"""From a project's content to its finished site: what each collection gives, and from all of it the pages of the whole.

A collection that is as it was is not loaded; what its pages are is read, one text at a time, when they are written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from importlib.resources import files
from pathlib import Path

from atlas.checks.checked import Checked
from atlas.checks.pinned import Pinned
from atlas.checks.single import sources_of
from atlas.entries.atlas import Atlas
from atlas.entries.survey import survey
from atlas.issues import Issue, ordered
from atlas.kept import Kept
from atlas.markup.code import stylesheet
from atlas.node.assets import install_assets
from atlas.node.environment import prepare
from atlas.node.process import Formula, Typeset
from atlas.node.typesetter import Typesetter
from atlas.operators.catalogue import FAMILIES
from atlas.render import addresses
from atlas.render.citation import citation_files
from atlas.render.compare_view import compare_view
from atlas.render.data_files import operator_files, written
from atlas.render.data_view import data_view
from atlas.render.deferred import Typesetting
from atlas.render.entries_view import entries_view
from atlas.render.fonts import Glyphs, shrink
from atlas.render.gathering import Gathered
from atlas.render.glossary_view import glossary_view
from atlas.render.home_view import home_view
from atlas.render.index_view import index_plans
from atlas.render.issue_codes_view import issue_codes_view
from atlas.render.json_files import json_files
from atlas.render.made import Made, MadePage, Text
from atlas.render.markdown_pages import MarkdownRenderer, folded
from atlas.render.pages import ALSO_IN, Finished, PagePlan, Renderer, distinct
from atlas.render.parts import Parts
from atlas.render.prose_pages import prose_renderer
from atlas.render.redirects import source_redirects
from atlas.render.reference_views import (
    family_view,
    file_view,
    operators_view,
    source_view,
    sources_view,
)
from atlas.render.search_records import found_groups
from atlas.render.shares import Shares
from atlas.render.site import NavSection, PageStore, Produced, Settings, Site, SiteAsset
from atlas.render.size_fonts import with_one_font_of_sizes
from atlas.render.stylesheet import diagram_rules, site_scripts, site_stylesheets
from atlas.render.uses import Uses, also_in
from atlas.render.verification_view import verification_view
from atlas.sources.progress import Progress
from atlas.sources.store import SourceStore

HOME_FILES = ("index.md", "README.md")
"""A project that writes one of these has a home page of its own."""
FONT = ".woff2"
"""What a font's name ends in."""
PINNED = "Pinned sources"
"""The title of the section of pinned projects."""


def build_site(settings: Settings) -> Site:
    """The site of the content in `settings.content`.

    What is wrong with the content is returned as the site's issues or raised as a ContentError that carries them; what
    keeps the build from working at all is raised as another AtlasError.
    """
    kept = Kept()
    node = _Shown(kept, settings.say)
    closing = ExitStack()
    closing.enter_context(kept)
    closing.enter_context(node)
    try:
        found = survey(settings.root, settings.content, settings.sources)
        make_store = partial(_store, progress=Lines(settings.say))
        pinned, issues = sources_of(found, make_store, settings.missing_sources)
        store = PageStore(settings.workspace / "bodies")
        gathered = Gathered(settings, found, pinned, kept, node, store)
        gathered.gather()
        issues = tuple(ordered([*issues, *gathered.issues]))
        prose = prose_renderer(node.typeset)
        if any(issue.severity == "error" for issue in issues):
            return Site((), (), issues, prose, close=closing.close)
        return _Whole(settings, pinned, kept, node, store, gathered, issues).site(closing.close)
    except BaseException:
        closing.close()
        raise


class _Whole:
    """The site of collections that all hold."""

    def __init__(
        self,
        settings: Settings,
        pinned: Pinned,
        kept: Kept,
        node: _Shown,
        store: PageStore,
        gathered: Gathered,
        issues: tuple[Issue, ...],
    ) -> None:
        self._settings = settings
        self._kept = kept
        self._node = node
        self._store = store
        self._gathered = gathered
        self._issues = issues
        self._made = tuple(gathered.made[name] for name in sorted(gathered.made))
        self._typesetting = Typesetting()
        atlas = Atlas(settings.root, settings.content, {}, pinned.sources, pinned.unread)
        # No collection is at hand here: the pages of the whole are made of shares.
        checked = Checked(atlas, {}, pinned.files, pinned.pins, issues)
        self._parts = Parts(checked, self._typesetting, kept)
        self._renderer = Renderer(settings, self._typesetting)
        self._markdown = MarkdownRenderer(settings.site_name, settings.templates)
        self._shares = Shares(
            homes=[one.home for one in self._made],
            names=[one.names for one in self._made],
            claims=[one.claims for one in self._made],
            comparisons=[one.comparison for one in self._made if one.comparison is not None],
            conflicts=[one.conflicts for one in self._made],
            uses=Uses(one.uses for one in self._made),
        )

    def site(self, close: Callable[[], None]) -> Site:
        """All of it, ready to be written."""
        settings, node = self._settings, self._node
        home, others = list(self._home_plans()), list(self._other_plans())
        found = tuple(found_groups([one.found for one in self._made], [*home, *others]))
        plans = distinct([*home, *self._collection_plans(), *others, *index_plans(found)])
        self._typesetting.take(node.typeset(self._typesetting.waiting))
        for one in self._made:
            node.glyphs.note_text(one.characters)
            node.most_nodes = max(node.most_nodes, one.nodes)
        pages = tuple(self._renderer.render(plans, self._store))
        assets = (
            *_assets(node, settings, self._kept),
            *written(operator_files(), settings.workspace / "data"),
            *self._collection_files(),
            *json_files(
                settings.site_name,
                settings.data_license,
                self._shares,
                self._parts,
                ((self._gathered.text(one.id, one.lines), one.lines.links) for one in self._made),
                settings.workspace / "json",
            ),
            *self._markdown.render(plans, settings.workspace / "markdown"),
            *citation_files(
                (one.citation for one in self._made),
                plans,
                settings.site_name,
                settings.site_url,
            ),
        )
        fonts = [asset.content for asset in assets if isinstance(asset.content, Path) and asset.content.suffix == FONT]
        settle = partial(_settle, fonts, node.glyphs, self._kept)
        redirects = [redirect for one in self._made for redirect in one.redirects]
        redirects += [
            redirect for one in self._parts.checked.atlas.sources.values() for redirect in source_redirects(one)
        ]
        prose = prose_renderer(node.typeset)
        return Site(pages, assets, self._issues, prose, tuple(redirects), found, close, settle)

    def _collection_files(self) -> Iterator[SiteAsset]:
        """The files that collections give beside their pages."""
        passages: dict[str, SiteAsset] = {}
        for one in self._made:
            for file in one.files:
                yield self._asset(one, file.url, file.text, file.page)
            for file in one.passages:
                passages.setdefault(file.url, self._asset(one, file.url, file.text, None))
        yield from passages.values()

    def _asset(self, made: Made, url: str, text: Text, page: str | None) -> SiteAsset:
        content = Produced(partial(self._gathered.text, made.id, text), text.digest)
        return SiteAsset(url, content, text.links, page)

    def _home_plans(self) -> Iterator[PagePlan]:
        if not any((self._settings.content / name).is_file() for name in HOME_FILES):
            yield PagePlan(
                addresses.HOME,
                "home",
                "Home",
                self._settings.site_name,
                "Neural-network architectures with formulas, shapes, parameters and sources checked.",
                None,
                (),
                home_view(self._shares.homes, self._typesetting),
            )

    def _collection_plans(self) -> Iterator[PagePlan]:
        # Models come before libraries, each kind in the order of its folders.
        for one in sorted(self._made, key=lambda one: not one.is_model):
            for page in one.pages:
                yield PagePlan(
                    page.url,
                    page.kind,
                    page.title,
                    page.document_title,
                    page.description,
                    page.edit_path,
                    page.nav,
                    None,
                    finished=self._finished(one, page),
                )

    def _finished(self, made: Made, page: MadePage) -> Finished:
        """A page of a collection, with its relatives in all collections."""
        read = self._gathered.text
        digest = [page.body.digest, page.column.digest, repr(page.headings).encode()]
        if not page.entry:
            body, markdown = partial(read, made.id, page.body), partial(read, made.id, page.markdown)
            column, links = partial(read, made.id, page.column), page.markdown.links
            return Finished(page.headings, body, column, markdown, links, _digest(digest), page.markdown.digest)
        relatives, more = also_in(page.entry, page.operator, self._shares.uses)
        html, headings = "", page.headings
        added: tuple[str, frozenset[str]] = "", frozenset()
        if relatives:
            html, heading = self._renderer.also_in(page.url, relatives, more)
            headings = (*headings, *heading)
            added = self._markdown.also_in(page.url, relatives, more)
        return Finished(
            headings,
            partial(self._with, made.id, page.body, html),
            partial(read, made.id, page.column),
            partial(self._folded_with, made.id, page.markdown, added[0]),
            page.markdown.links | added[1],
            _digest([*digest, html.encode()]),
            _digest([page.markdown.digest, added[0].encode()]),
        )

    def _with(self, collection: str, text: Text, relatives: str) -> str:
        """A text with what it says of relatives."""
        before, _, after = self._gathered.text(collection, text).rpartition(ALSO_IN)
        return f"{before}{relatives}{after}"

    def _folded_with(self, collection: str, text: Text, relatives: str) -> str:
        return folded(self._with(collection, text, relatives))

    def _other_plans(self) -> Iterator[PagePlan]:
        shares, settings = self._shares, self._settings
        yield from _compare_plans(shares, self._typesetting)
        yield from _operator_plans(shares.uses, self._parts)
        yield from _source_plans(shares.uses, self._parts, settings.content)
        summary = (
            "Every size, symbol and term, with its names in formula, configuration and code, and where it is used."
        )
        words = glossary_view(shares.names, self._typesetting)
        yield PagePlan(addresses.GLOSSARY, "glossary", "Glossary", "Glossary", summary, None, (), words)
        summary = "Every claim of the atlas with its proof."
        view = verification_view(shares.claims)
        yield PagePlan(addresses.VERIFICATION, "verification", "Verification", "Verification", summary, None, (), view)
        summary = "Everything on this site as files: JSON with its schemas, Markdown and BibTeX."
        files_view = data_view(self._parts, settings.site_name, settings.site_url, settings.data_license)
        yield PagePlan(addresses.DATA, "data", "Data", "Data", summary, None, (), files_view)
        summary = "Every key of every file that contributors write: what it means, and what its value may be."
        section, keys = NavSection("Contribute", addresses.CONTRIBUTE), entries_view()
        yield PagePlan(addresses.ENTRIES, "entries", "Entries", "Entries: every key", summary, None, (section,), keys)
        summary, codes = "What each code of an issue means, with a wrong and a right form.", issue_codes_view()
        yield PagePlan(
            addresses.ISSUE_CODES, "issue-codes", "Issue codes", "Issue codes", summary, None, (section,), codes
        )


def _digest(parts: Iterable[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _settle(fonts: Iterable[Path], glyphs: Glyphs, kept: Kept) -> None:
    """Cut the fonts down, once all is typeset."""
    shrink(fonts, glyphs.characters, kept)


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


class _Shown(Typesetter):
    """The typesetter of a site, which notes what its fonts and its style sheet must be able to show."""

    def __init__(self, kept: Kept, say: Callable[[str], None]) -> None:
        super().__init__(kept, partial(prepare, progress=say))
        self.glyphs = Glyphs()
        self.most_nodes = 0
        """How many nodes the largest diagram has."""

    def typeset(self, formulas: Iterable[Formula]) -> list[Typeset]:
        """Typeset formulas in one go."""
        results = super().typeset(formulas)
        self.glyphs.note(dict.fromkeys(results))
        return results


def _compare_plans(shares: Shares, typesetting: Typesetting) -> Iterator[PagePlan]:
    view = compare_view(shares.comparisons, typesetting)
    if view.choices:
        summary = "Two models or variants side by side: configuration, structure, formulas, parameters and cache."
        yield PagePlan(addresses.COMPARE, "compare", "Compare", "Compare", summary, None, (), view)


def _operator_plans(uses: Uses, parts: Parts) -> Iterator[PagePlan]:
    summary = "Executable NumPy operators, their formulations side by side."
    index, section = operators_view(uses), NavSection("Operators", addresses.OPERATORS)
    yield PagePlan(addresses.OPERATORS, "operators", "Operators", "Operators", summary, None, (section,), index)
    for name in FAMILIES:
        view = family_view(name, uses, parts)
        summary = view.formulations[0].summary
        title = f"Operators · {view.title}"
        yield PagePlan(addresses.family_page(name), "family", view.title, title, summary, None, (section,), view)


def _source_plans(uses: Uses, parts: Parts, content: Path) -> Iterator[PagePlan]:
    summary = "Upstream projects at a fixed revision, proved by git object ids."
    section = NavSection(PINNED, addresses.SOURCES)
    yield PagePlan(addresses.SOURCES, "sources", PINNED, PINNED, summary, None, (section,), sources_view(parts.checked))
    for source in parts.checked.atlas.sources.values():
        title, manifest = source.data.title, source.data
        view = source_view(source, parts.checked)
        summary = f"{title} at revision {manifest.revision}: pinned files, hashes and licence."
        own = NavSection(title, addresses.source_page(source.id))
        # Manifests lie beside the content; hosts of repositories resolve the way there as browsers do.
        made_from = Path(os.path.relpath(source.file, content)).as_posix()
        yield PagePlan(own.key, "source", title, f"{PINNED} · {title}", summary, made_from, (section, own), view)
        for path in manifest.files:
            name = path.rpartition("/")[2]
            summary = f"{path} of {title} at revision {manifest.revision}, with links to the passages documented here."
            page = file_view(source, path, uses, parts)
            url = addresses.file_page(source.id, path)
            yield PagePlan(url, "file", name, f"{title} · {name}", summary, made_from, (section, own), page)


def _assets(node: _Shown, settings: Settings, kept: Kept) -> Iterator[SiteAsset]:
    themes, folder, code = _themes(settings), settings.workspace / "katex", stylesheet()
    katex, *others = with_one_font_of_sizes(install_assets(node.environment, folder), kept)
    rules = diagram_rules(node.most_nodes)
    yield from site_stylesheets(themes, rules, code, katex.read_text(encoding="utf-8"))
    yield from site_scripts(themes)
    # What other themes than ours load by `extra_css`.
    yield SiteAsset("css/code.css", code.encode())
    for file in (katex, *others):
        yield SiteAsset(f"katex/{file.relative_to(folder).as_posix()}", file)


def _themes(settings: Settings) -> list[Path]:
    """The folder of our own theme, after those that take the place of files in it."""
    own = Path(str(files("openmodelatlas_theme")))
    given = [folder.resolve() for folder in settings.templates]
    return [*given[: given.index(own.resolve())], own] if own.resolve() in given else [own]
