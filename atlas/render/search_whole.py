"""Views of the whole → search records: operators, sources, pinned files, codes of issues, and pages by their titles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from atlas.operators.names import ALSO_CALLED
from atlas.render.entries_view import EntriesView
from atlas.render.issue_codes_view import IssueCodesView
from atlas.render.pages import PagePlan
from atlas.render.reference_views import FamilyView, FileView, FormulationView, SourceView
from atlas.render.search_found import ALIAS, NAME, NUMBER, SUMMARY, SYMBOL, TEXT
from atlas.render.search_records import Texts, record
from atlas.render.site import SearchRecord

ASKED = MappingProxyType(
    {
        "verification": ("trust", "proofs", "proved", "reliable"),
        "data": ("cite", "citation", "BibTeX", "download", "API"),
        "compare": ("memory", "differences", "versus"),
    }
)
"""What readers ask for who want these pages, by their kind; a model's page answers several such questions itself."""


def page_records(plans: Iterable[PagePlan]) -> Iterator[SearchRecord]:
    """The records of planned pages."""
    for plan in plans:
        yield from _of_plan(plan)


def _of_plan(plan: PagePlan) -> Iterator[SearchRecord]:
    match plan.view:
        case FamilyView() as view:
            for one in view.formulations:
                texts, where = tuple(_formulation(one, view)), f"{view.title} · {one.name}"
                yield SearchRecord("operator", f"{plan.url}#{one.anchor}", one.title, where, one.summary, texts)
        case FileView() as view:
            texts = ((NAME, view.path), *((TEXT, passage.title) for passage in view.passages))
            yield SearchRecord("source", plan.url, view.name, f"{view.source.title} · {view.path}", "", texts)
        case SourceView() as view:
            yield record("source", plan, view.release or view.revision[:12], _source(view))
        case _ if plan.url:  # the home page is no find: it is where readers come from
            asked = ((ALIAS, text) for text in ASKED.get(plan.kind, ()))
            yield record("page", plan, "", (*asked, *(_keys(plan.view) if isinstance(plan.view, EntriesView) else ())))
            yield from _codes(plan.view, plan) if isinstance(plan.view, IssueCodesView) else ()


def _codes(view: IssueCodesView, plan: PagePlan) -> Iterator[SearchRecord]:
    """A record for each code, which is found by the code itself and by what it is about."""
    for group in view.groups:
        for one in group.codes:
            meaning = "".join(text for text, _ in one.meaning)
            texts = ((NAME, one.code), (TEXT, group.title))
            yield SearchRecord("page", f"{plan.url}#{one.id}", f"{one.code}: {one.title}", plan.title, meaning, texts)


def _keys(view: EntriesView) -> Texts:
    for one in (*view.kinds, *view.parts):
        yield SUMMARY, one.title
        yield from ((NAME, key.name) for key in one.keys)


def _source(view: SourceView) -> Texts:
    yield from ((NAME, name) for name in (view.repository.title, view.release, view.licence, view.revision))


def _formulation(one: FormulationView, view: FamilyView) -> Texts:
    yield from ((NAME, one.name), (ALIAS, view.title))
    yield from ((ALIAS, name) for name in ALSO_CALLED.get(one.name, ()))
    yield NAME, one.published.title if one.published else ""
    yield SYMBOL, one.reference.contract
    for name, value in one.options:
        yield from ((NAME, name), (NUMBER, value))
    for convention, value in zip(view.conventions, one.conventions, strict=True):
        yield SUMMARY, f"{convention} {value}"
    yield TEXT, one.formula.tex if one.formula else ""
