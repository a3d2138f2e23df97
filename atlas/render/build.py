"""From a project's content to its finished site: load, check, make views, typeset once, render."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from importlib.resources import files
from pathlib import Path

from atlas.checks.checked import Checked, CheckedCollection, CheckedEntry
from atlas.checks.run import check_project
from atlas.entries.atlas import Atlas
from atlas.entries.collection import Model
from atlas.kept import Kept
from atlas.markup.code import stylesheet
from atlas.node.assets import install_assets
from atlas.node.environment import prepare
from atlas.node.process import Formula, Typeset
from atlas.node.typesetter import Typesetter
from atlas.operators.catalogue import FAMILIES
from atlas.render import addresses
from atlas.render.citation import citation_files
from atlas.render.collection_view import library_view, model_view
from atlas.render.compare_view import compare_view
from atlas.render.data_files import data_files, written
from atlas.render.data_view import data_view
from atlas.render.deferred import Typesetting
from atlas.render.diagram import Placed, Sketch, layout
from atlas.render.entries_view import entries_view
from atlas.render.finished import COMPONENT, Finished, Shelf
from atlas.render.finishing import Finisher
from atlas.render.fonts import Glyphs, shrink
from atlas.render.glossary_view import glossary_view
from atlas.render.home_view import home_view
from atlas.render.index_view import index_plans
from atlas.render.issue_codes_view import issue_codes_view
from atlas.render.json_files import json_files
from atlas.render.markdown_pages import MarkdownRenderer
from atlas.render.pages import PagePlan, Renderer, distinct
from atlas.render.parts import Parts
from atlas.render.prose_pages import prose_renderer
from atlas.render.redirects import stated_redirects
from atlas.render.reference_views import (
    family_view,
    file_view,
    operators_view,
    source_view,
    sources_view,
)
from atlas.render.search_records import search_records
from atlas.render.site import NavSection, PageStore, Settings, Site, SiteAsset
from atlas.render.size_fonts import with_one_font_of_sizes
from atlas.render.structure_view import structure_view
from atlas.render.stylesheet import diagram_rules, site_scripts, site_stylesheet
from atlas.render.verification_view import verification_view
from atlas.sources.progress import Progress
from atlas.sources.store import SourceStore

Place = Callable[[Sketch], Placed]
"""Lays a diagram out."""
HOME_FILES = ("index.md", "README.md")
"""A project that writes one of these has a home page of its own."""
FONT = ".woff2"
"""What a font's name ends in."""
MODELS, LIBRARIES = NavSection("Models", "models"), NavSection("Libraries", "libraries")
"""The sections of the collections, which have no pages of their own: the home page lists what is in them."""
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
        outcome = check_project(
            settings.root,
            settings.content,
            settings.sources,
            make_store=partial(_store, progress=Lines(settings.say)),
            typesetter=node.typeset,
            missing=settings.missing_sources,
            kept=kept,
        )
        prose = prose_renderer(node.typeset)
        if outcome.checked is None:
            return Site((), (), outcome.issues, prose, close=closing.close)
        typesetting = Typesetting()
        parts = Parts(outcome.checked, typesetting, kept)
        store = PageStore(settings.workspace / "bodies")
        renderer = Renderer(settings, typesetting)
        markdown = MarkdownRenderer(settings.site_name, settings.templates)
        shelf = Shelf(kept, settings, parts, outcome.grounds, store)
        finisher = Finisher(shelf, parts, renderer, markdown, node.typeset)
        plans = list(_plans(outcome.checked, parts, settings, node.place, finisher))
        records = tuple(search_records(outcome.checked, plans))
        plans = distinct([*plans, *index_plans(records)])
        files = data_files(outcome.checked, parts)
        typesetting.take(node.typeset(typesetting.waiting))
        finished = {plan.owner.id: plan.finished for plan in plans if plan.finished and plan.owner}
        for one in finished.values():
            node.glyphs.note_text(one.characters)
        pages = tuple(renderer.render(plans, store))
        data = settings.workspace / "json"
        assets = (
            *_assets(node, settings),
            *written(files, settings.workspace / "data"),
            *_passages(renderer, finished.values()),
            *json_files(settings.site_name, settings.data_license, parts, data, finished),
            *markdown.render(plans, settings.workspace / "markdown"),
            *citation_files(
                outcome.checked, plans, settings.site_name, settings.site_url, settings.workspace / "citations"
            ),
        )
        fonts = [asset.content for asset in assets if isinstance(asset.content, Path) and asset.content.suffix == FONT]
        settle = partial(_settle, fonts, node.glyphs, kept)
        redirects = tuple(stated_redirects(outcome.checked.atlas))
        return Site(pages, assets, outcome.issues, prose, redirects, records, closing.close, settle)
    except BaseException:
        closing.close()
        raise


def _passages(renderer: Renderer, finished: Iterable[Finished]) -> Iterator[SiteAsset]:
    """The files of code for which pages have no room."""
    kept = {url: html for page in finished for url, html in page.passages.items()}
    for url, html in {**kept, **renderer.passages}.items():
        yield SiteAsset(url, json.dumps(html).encode())


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

    def place(self, sketch: Sketch) -> Placed:
        """Lay a diagram out."""
        placed = layout(sketch, self)
        self.most_nodes = max(self.most_nodes, len(placed.nodes))
        for label in placed.labels:
            self.glyphs.note_text("".join(run.text for run in label.runs))
        return placed


def _plans(checked: Checked, parts: Parts, settings: Settings, place: Place, finisher: Finisher) -> Iterator[PagePlan]:
    if not any((settings.content / name).is_file() for name in HOME_FILES):
        yield PagePlan(
            addresses.HOME,
            "home",
            "Home",
            settings.site_name,
            "Neural-network architectures with formulas, shapes, parameters and sources checked.",
            None,
            (),
            home_view(parts),
        )
    # Models come before libraries, each kind in the order of its folders.
    for collection in sorted(checked.collections.values(), key=lambda one: not isinstance(one.collection.data, Model)):
        yield from _collection_plans(collection, parts, settings, place, finisher)
    yield from _compare_plans(checked, parts)
    yield from _operator_plans(parts)
    yield from _source_plans(checked, parts)
    summary = "Every size, symbol and term, with its names in formula, configuration and code, and where it is used."
    words = glossary_view(parts)
    yield PagePlan(addresses.GLOSSARY, "glossary", "Glossary", "Glossary", summary, None, (), words)
    summary = "Every claim of the atlas with its proof."
    view = verification_view(parts)
    yield PagePlan(addresses.VERIFICATION, "verification", "Verification", "Verification", summary, None, (), view)
    summary = "Everything on this site as files: JSON with its schemas, Markdown and BibTeX."
    files_view = data_view(parts, settings.site_name, settings.site_url, settings.data_license)
    yield PagePlan(addresses.DATA, "data", "Data", "Data", summary, None, (), files_view)
    summary = "Every key of every file that contributors write: what it means, and what its value may be."
    section, keys = NavSection("Contribute", addresses.CONTRIBUTE), entries_view()
    yield PagePlan(addresses.ENTRIES, "entries", "Entries", "Entries: every key", summary, None, (section,), keys)
    summary, codes = "What each code of an issue means, with a wrong and a right form.", issue_codes_view()
    yield PagePlan(addresses.ISSUE_CODES, "issue-codes", "Issue codes", "Issue codes", summary, None, (section,), codes)


def _collection_plans(
    collection: CheckedCollection, parts: Parts, settings: Settings, place: Place, finisher: Finisher
) -> Iterator[PagePlan]:
    data = collection.collection.data
    is_model = isinstance(data, Model)
    group = MODELS if is_model else LIBRARIES
    section = NavSection(data.title, addresses.collection_page(collection.collection.id))
    view = model_view(collection, parts, place) if is_model else library_view(collection, parts)
    yield PagePlan(
        addresses.collection_page(collection.collection.id),
        "model" if is_model else "library",
        data.title,
        data.title,
        parts.text(collection.collection, data.summary).plain,
        _below(collection.collection.file, settings.content),
        (group, section),
        view,
        structure_view(collection, section.key),
        collection.collection,
    )
    finished = finisher.finish(collection)
    for entry in collection.entries:
        yield _entry_plan(entry, collection, (group, section), parts, settings, finished[entry.entry.id])


def _entry_plan(
    entry: CheckedEntry,
    collection: CheckedCollection,
    above: tuple[NavSection, NavSection],
    parts: Parts,
    settings: Settings,
    finished: Finished,
) -> PagePlan:
    data, section = entry.entry.data, above[-1]
    stack = collection.collection.stack_of(entry.entry)
    inner = [NavSection(stack.title, f"{section.key}{entry.entry.stack}/")] if stack else []
    return PagePlan(
        addresses.entry_page(entry.entry),
        COMPONENT,
        data.title,
        " · ".join((section.title, *(one.title for one in inner), data.title)),
        parts.text(entry.entry, data.summary).plain,
        _below(entry.entry.file, settings.content),
        (*above, *inner),
        None,
        None,
        entry.entry,
        finished,
    )


def _compare_plans(checked: Checked, parts: Parts) -> Iterator[PagePlan]:
    view = compare_view(checked, parts)
    if view.choices:
        summary = "Two models or variants side by side: configuration, structure, formulas, parameters and cache."
        yield PagePlan(addresses.COMPARE, "compare", "Compare", "Compare", summary, None, (), view)


def _operator_plans(parts: Parts) -> Iterator[PagePlan]:
    summary = "Executable NumPy operators, their formulations side by side."
    index, section = operators_view(parts), NavSection("Operators", addresses.OPERATORS)
    yield PagePlan(addresses.OPERATORS, "operators", "Operators", "Operators", summary, None, (section,), index)
    for name in FAMILIES:
        view = family_view(name, parts)
        summary = view.formulations[0].summary
        title = f"Operators · {view.title}"
        yield PagePlan(addresses.family_page(name), "family", view.title, title, summary, None, (section,), view)


def _source_plans(checked: Checked, parts: Parts) -> Iterator[PagePlan]:
    summary = "Upstream projects at a fixed revision, proved by git object ids."
    section = NavSection(PINNED, addresses.SOURCES)
    yield PagePlan(addresses.SOURCES, "sources", PINNED, PINNED, summary, None, (section,), sources_view(checked))
    for source in checked.atlas.sources.values():
        title, manifest = source.data.title, source.data
        view = source_view(source, checked)
        summary = f"{title} at revision {manifest.revision}: pinned files, hashes and licence."
        own = NavSection(title, addresses.source_page(source.id))
        yield PagePlan(own.key, "source", title, f"{PINNED} · {title}", summary, None, (section, own), view)
        for path in manifest.files:
            name = path.rpartition("/")[2]
            summary = f"{path} of {title} at revision {manifest.revision}, with links to the passages documented here."
            page = file_view(source, path, parts)
            url = addresses.file_page(source.id, path)
            yield PagePlan(url, "file", name, f"{title} · {name}", summary, None, (section, own), page)


def _assets(node: _Shown, settings: Settings) -> Iterator[SiteAsset]:
    themes, folder, code = _themes(settings), settings.workspace / "katex", stylesheet()
    katex, *others = with_one_font_of_sizes(install_assets(node.environment, folder))
    rules = diagram_rules(node.most_nodes)
    yield site_stylesheet(themes, rules, code, katex.read_text(encoding="utf-8"))
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


def _below(file: Path, content: Path) -> str:
    return file.relative_to(content).as_posix()
