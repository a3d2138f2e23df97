"""The data files, Markdown versions and citations of the real content: complete, by their schemas, and true."""

from __future__ import annotations

import json
import pickle
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic_core import PydanticSerializationError

from atlas.checks.checked import Checked
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.graph.unroll import Sizes, unroll
from atlas.graph.weights import weights_of
from atlas.markup.markdown import inline_maths
from atlas.markup.prose import parse
from atlas.operators.catalogue import CATALOGUE, FAMILIES
from atlas.render import json_files
from atlas.render.alternates import CITED, MARKDOWN
from atlas.render.citation import PACKAGE, citation_files, citation_share
from atlas.render.deferred import Typesetting
from atlas.render.json_component import component_document
from atlas.render.json_files import (
    DOCUMENTS,
    general_documents,
    reference_documents,
)
from atlas.render.json_references import list_documents
from atlas.render.json_types import FilePlace
from atlas.render.json_written import WrittenDocument, written_document, written_documents
from atlas.render.llms import FILE
from atlas.render.pages import PagePlan
from atlas.render.parts import Parts
from atlas.render.shares import Shares
from atlas.render.site import Site, SiteAsset, Streamed
from atlas.render.uses import Uses, uses_share

ROOT = Path(__file__).parents[2]
ATLAS = load(ROOT, ROOT / "content", ROOT / "sources")[0]
SITE_URL = "https://example.org/atlas/"


@pytest.fixture(scope="module")
def site(whole_site: Site) -> Site:
    return whole_site


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


def text_of(asset: SiteAsset) -> str:
    if isinstance(asset.content, Path):
        return asset.content.read_bytes().decode()
    return asset.content.decode() if isinstance(asset.content, bytes) else asset.content()


@pytest.fixture(scope="module")
def texts(site: Site) -> dict[str, str]:
    """Every text among the files beside the pages."""
    kept = (".json", ".jsonl", ".md", ".bib", ".py")
    return {asset.url: text_of(asset) for asset in site.assets if asset.url.endswith(kept)}


@pytest.fixture(scope="module")
def data(texts: dict[str, str]) -> dict[str, Any]:
    """Every data file, without the schemas."""
    return {
        url: json.loads(text)
        for url, text in texts.items()
        if url.startswith("api/v1/") and url.endswith(".json") and "/schema/" not in url
    }


@pytest.fixture(scope="module")
def schemas(texts: dict[str, str]) -> dict[str, Any]:
    return {url: json.loads(text) for url, text in texts.items() if url.startswith("api/v1/schema/")}


def joined(base: str, link: str) -> str:
    """The address that a link in a file leads to."""
    path = link.partition("#")[0]
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
    return ("" if reached == "." else reached) + ("/" if path.endswith("/") and reached != "." else "")


def validator(schemas: dict[str, Any], url: str) -> Draft202012Validator:
    Draft202012Validator.check_schema(schemas[url])
    return Draft202012Validator(schemas[url])


def test_there_is_a_file_for_everything(data: dict[str, Any]) -> None:
    models = [name for name, one in ATLAS.collections.items() if isinstance(one.data, Model)]
    wanted = {f"api/v1/{name}.json" for name in ("index", "verification", "symbols", "conflicts")}
    wanted |= {f"api/v1/{kind}.json" for kind in ("models", "libraries", "components", "operators", "sources")}
    wanted |= {f"api/v1/{kind}/{name}.json" for kind in ("models", "graphs") for name in models}
    wanted |= {f"api/v1/libraries/{name}.json" for name in ATLAS.collections.keys() - set(models)}
    wanted |= {f"api/v1/components/{entry.id}.json" for entry in ATLAS.entries}
    wanted |= {f"api/v1/operators/{family}.json" for family in FAMILIES}
    wanted |= {f"api/v1/sources/{source}.json" for source in ATLAS.sources}
    assert data.keys() == wanted


def test_every_file_is_valid_by_the_schema_that_it_names(data: dict[str, Any], schemas: dict[str, Any]) -> None:
    used = set()
    for url, one in data.items():
        schema = joined(url, one["$schema"])
        used.add(schema)
        errors = [error.message for error in validator(schemas, schema).iter_errors(one)]
        assert (url, errors) == (url, [])
    assert used == {f"api/v1/schema/{name}.json" for name in DOCUMENTS}


@pytest.mark.parametrize(
    ("url", "change"),
    [
        ("api/v1/components/gpt-2/decoder/feed-forward.json", lambda one: one.update(surprise=1)),
        ("api/v1/components/gpt-2/decoder/feed-forward.json", lambda one: one.pop("formula")),
        ("api/v1/components/gpt-2/decoder/feed-forward.json", lambda one: one["proofs"][0].update(status="sure")),
        ("api/v1/models/gpt-2.json", lambda one: one["variants"][0]["parameters"].update(total="124M")),
        ("api/v1/models/gpt-2.json", lambda one: one["variants"][0]["published"][0].pop("agrees")),
        ("api/v1/graphs/gpt-2.json", lambda one: one["edges"][0].update(source=3)),
        ("api/v1/sources/transformers.json", lambda one: one["files"][0].update(pin="perhaps")),
    ],
)
def test_a_file_that_is_wrong_is_not_valid(
    data: dict[str, Any], schemas: dict[str, Any], url: str, change: Any
) -> None:
    broken = json.loads(json.dumps(data[url]))
    change(broken)
    with pytest.raises(ValidationError):
        validator(schemas, joined(url, broken["$schema"])).validate(broken)


def test_every_key_of_every_schema_says_what_it_means(schemas: dict[str, Any]) -> None:
    for url, schema in schemas.items():
        for name, record in {"": schema, **schema.get("$defs", {})}.items():
            assert record.get("description"), (url, name)
            for key, one in record.get("properties", {}).items():
                meant = one if "$ref" not in one else one | schema["$defs"][one["$ref"].rpartition("/")[2]]
                assert meant.get("description"), (url, name, key)


def test_the_files_of_contributors_are_valid_by_the_published_schemas(schemas: dict[str, Any]) -> None:
    kinds = {kind: validator(schemas, f"api/v1/schema/entries/{kind}.json") for kind in ("component", "model")}
    kinds |= {kind: validator(schemas, f"api/v1/schema/entries/{kind}.json") for kind in ("library", "source")}
    for collection in ATLAS.collections.values():
        kind = "model" if isinstance(collection.data, Model) else "library"
        assert not list(kinds[kind].iter_errors(json.loads(json.dumps(collection.document.value)))), collection.id
    for entry in ATLAS.entries:
        assert not list(kinds["component"].iter_errors(json.loads(json.dumps(entry.document.value)))), entry.id
    for source in ATLAS.sources.values():
        assert not list(kinds["source"].iter_errors(json.loads(json.dumps(source.document.value)))), source.id
    broken = json.loads(json.dumps(ATLAS.entries[0].document.value)) | {"formulla": "x"}
    assert list(kinds["component"].iter_errors(broken))


ADDRESSES = frozenset(("$schema", "json", "page", "markdown", "bibtex", "graph", "lines", "numpy", "everything"))
"""The keys of records whose values are addresses."""


def links(value: Any, key: str = "") -> Iterator[str]:
    """Every relative address in a record, told by its form."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from links(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from links(one, key)
    elif value is not None and key in ADDRESSES:
        yield value


def test_every_link_of_a_record_leads_to_a_file_or_page(site: Site, data: dict[str, Any]) -> None:
    known = {asset.url for asset in site.assets} | {page.url for page in site.pages}
    by_url = {asset.url: asset for asset in site.assets}
    for url, one in data.items():
        found = list(links(one))
        assert found
        assert {joined(url, link) for link in found} <= known
        assert set(found) <= by_url[url].links | by_url[url].more_links()


def test_one_file_holds_all_records_with_links_of_its_own(texts: dict[str, str], data: dict[str, Any]) -> None:
    lines = texts["api/v1/all.jsonl"].splitlines()
    records = [json.loads(line) for line in lines]
    by_content = {json.dumps(unlinked(one)): (url, one) for url, one in data.items()}
    assert len(records) == len(data) == len(by_content)
    for record in records:
        url, one = by_content.pop(json.dumps(unlinked(record)))
        assert [joined("api/v1/all.jsonl", link) for link in links(record)] == [
            joined(url, link) for link in links(one)
        ]


def unlinked(value: Any) -> Any:
    """A record without what stands in it for addresses."""
    if isinstance(value, dict):
        return {name: unlinked(one) for name, one in value.items()}
    if isinstance(value, list):
        return [unlinked(one) for one in value]
    return (
        "…" if isinstance(value, str) and re.search(r"(^|\]\()(\.\./|[a-z0-9./-]+\.(json|bib|py|md))", value) else value
    )


def written(checked: Checked, parts: Parts) -> Iterator[WrittenDocument]:
    """The finished records of all collections and their entries."""
    for collection in checked.collections.values():
        yield from written_documents(collection, parts)
        for entry in collection.entries:
            url = f"api/v1/components/{entry.entry.id}.json"
            yield written_document(url, component_document(entry, collection, parts))


def alone(checked: Checked) -> Parts:
    """What concerns no collection, for pages and files of the whole atlas."""
    nothing = replace(checked, collections={}, atlas=replace(checked.atlas, collections={}))
    return Parts(nothing, Typesetting())


def test_the_same_content_gives_the_same_bytes(checked: Checked, whole_shares: Shares, texts: dict[str, str]) -> None:
    parts = alone(checked)
    first = [written_document(url, one) for url, one in general_documents("Atlas", "", whole_shares, parts)]
    last = [written_document(url, one) for url, one in reference_documents(whole_shares.uses, parts)]
    finished = [*first, *written(checked, Parts(checked, Typesetting())), *last]
    assert all(f"{one.text}\n" == texts[one.url] for one in finished)
    assert "".join(f"{one.line}\n" for one in finished) == texts["api/v1/all.jsonl"]
    every = {url: f"{json.dumps(one, ensure_ascii=False, indent=2)}\n" for url, one in json_files.schemas()}
    assert all(text == texts[url] for url, text in every.items())
    urls = {"api/v1/all.jsonl", *every, *(one.url for one in finished)}
    assert urls == {url for url in texts if url.startswith("api/v1/") and url.endswith((".json", ".jsonl"))}


def test_lists_operators_and_sources_need_no_collection(checked: Checked, texts: dict[str, str]) -> None:
    """They are made of shares that were pickled, and of what concerns no collection."""
    shares = [pickle.loads(pickle.dumps(uses_share(one))) for one in checked.collections.values()]  # noqa: S301
    uses, parts = Uses(shares), alone(checked)
    made = dict(reference_documents(uses, parts))
    made |= {f"api/v1/{one.of}.json": one for one in list_documents(uses, parts.checked.atlas.sources)}
    assert len(made) == 5 + len(FAMILIES) + len(ATLAS.sources)
    for url, one in made.items():
        assert written_document(url, one).text + "\n" == texts[url]


def test_the_index_counts_what_there_is(data: dict[str, Any]) -> None:
    counts = data["api/v1/index.json"]["counts"]
    for kind in ("models", "libraries", "components", "operators", "sources"):
        assert counts[kind] == len(data[f"api/v1/{kind}.json"]["items"]), kind
    assert counts["files"] == sum(len(source.data.files) for source in ATLAS.sources.values())
    models = [one.data for one in ATLAS.collections.values() if isinstance(one.data, Model)]
    assert counts["variants"] == sum(len(one.variants) for one in models) > len(models)
    assert counts["formulations"] == len(CATALOGUE)


def test_a_finished_record_is_what_a_pickle_holds(checked: Checked) -> None:
    share = written_documents(checked.collections["gpt-2"], Parts(checked, Typesetting()))
    assert [one.url for one in share] == ["api/v1/models/gpt-2.json", "api/v1/graphs/gpt-2.json"]
    assert [one.page for one in share] == ["gpt-2/", "gpt-2/"]
    assert pickle.loads(pickle.dumps(share)) == share  # noqa: S301
    for one in share:
        assert unlinked(json.loads(one.text)) == unlinked(json.loads(one.line))
        assert one.links.isdisjoint(one.line_links)
        assert {joined(one.url, link) for link in one.links} == {
            joined("api/v1/all.jsonl", link) for link in one.line_links
        }


def test_lines_of_collections_are_asked_for_one_at_a_time(site: Site) -> None:
    (asset,) = (one for one in site.assets if one.url == "api/v1/all.jsonl")
    assert isinstance(asset.content, Streamed)
    pieces = [text for text in asset.content.texts() if text]
    assert len(pieces) > len(ATLAS.collections)
    assert all(text.endswith("\n") for text in pieces)
    assert "".join(pieces) == asset.content()


def test_a_record_is_written_for_a_file_only(checked: Checked, whole_shares: Shares) -> None:
    url, first = next(general_documents("Atlas", "", whole_shares, Parts(checked, Typesetting())))
    assert (url, first.written(FilePlace(url))[:12]) == ("api/v1/index.json", '{"$schema":"')
    with pytest.raises(PydanticSerializationError, match="FilePlace"):
        first.model_dump()


@pytest.mark.parametrize("model", [name for name, one in ATLAS.collections.items() if isinstance(one.data, Model)])
def test_counts_are_those_of_the_weights(data: dict[str, Any], checked: Checked, model: str) -> None:
    """An independent sum: every weight of every layer of the graph, one by one."""
    record, collection = data[f"api/v1/models/{model}.json"], checked.collections[model]
    stated = collection.collection.data
    assert isinstance(stated, Model)
    assert collection.graph is not None
    for one in record["variants"]:
        variant = stated.variants[one["name"]]
        steps = unroll(collection.graph, Sizes(variant.numbers, variant.lists))
        weights = [weight for weight in weights_of(steps) if weight.tied is None]
        total = sum(weight.count for weight in weights if weight.learned)
        assert one["parameters"]["total"] == total
        assert one["parameters"]["buffers"] == sum(weight.count for weight in weights if not weight.learned)
        assert sum(place["total"] for place in one["places"]) == total
        outer = [stack["total"] for stack in one["stacks"] if "/" not in stack["path"]]
        assert sum(outer) == total
        in_entries = [
            variant["total"]
            for item in record["components"]
            for variant in data[joined(f"api/v1/models/{model}.json", item["json"])]["parameters"]["variants"]
            if variant["variant"] == one["name"]
        ]
        assert sum(in_entries) == total


def factor(symbol: str, sizes: dict[str, int]) -> int:
    """A size, or a floor, which counts as a symbol of its own."""
    floor = re.fullmatch(r"\\lfloor \((.+)\+(\d+)\)/(\d+)\\rfloor", symbol)
    return sizes[symbol] if floor is None else (sizes[floor[1]] + int(floor[2])) // int(floor[3])


def value(expression: dict[str, Any], sizes: dict[str, int]) -> int:
    """The value of an expression, from its terms alone."""
    total = 0
    for term in expression["terms"]:
        product = term["numerator"]
        for symbol, power in term["powers"].items():
            product *= factor(symbol, sizes) ** power
        assert product % term["denominator"] == 0
        total += product // term["denominator"]
    return total


def test_expressions_give_their_numbers(data: dict[str, Any]) -> None:
    tried = 0
    for url, record in data.items():
        if record["kind"] == "model":
            for one in record["variants"]:
                macs = one["multiply_accumulates"]
                assert value(macs["expression"], macs["at"]) == macs["value"]
        if record["kind"] == "component":
            sizes = {
                axis["size"]: axis["value"]
                for symbol in record["symbols"]
                for axis in symbol["axes"]
                if axis["value"] is not None
            }
            first = record["parameters"]["variants"][:1]
            for row in record["parameters"]["rows"] if first else ():
                symbols = {name for term in row["count"]["terms"] for name in term["powers"]}
                if symbols <= sizes.keys():
                    assert value(row["count"], sizes) == first[0]["rows"][row["symbol"]], (url, row["symbol"])
                    tried += 1
    assert tried > 30


def test_cache_and_published_figures_are_those_of_the_page(data: dict[str, Any]) -> None:
    mixtral = data["api/v1/models/mixtral.json"]["variants"][0]
    assert mixtral["parameters"]["total"] == 46_702_792_704
    assert mixtral["parameters"]["active"] == 12_879_925_248
    assert mixtral["cache"]["numbers_per_token"] == 2 * 32 * 8 * 128
    assert mixtral["cache"]["bytes_per_token"]["bfloat16"] == 2 * 2 * 32 * 8 * 128
    gpt_2 = data["api/v1/models/gpt-2.json"]["variants"][0]
    (figure,) = gpt_2["published"]
    assert (figure["published"], figure["derived"], figure["agrees"]) == (117_000_000, 124_439_808, False)
    disagreeing = data["api/v1/conflicts.json"]["figures"]
    assert figure in [one["figure"] for one in disagreeing]
    assert all(not one["figure"]["agrees"] for one in disagreeing)


def test_every_claim_has_its_proofs_with_their_state(data: dict[str, Any], checked: Checked) -> None:
    for entry in checked.entries:
        record = data[f"api/v1/components/{entry.entry.id}.json"]
        assert [(one["claim"], one["status"]) for one in record["proofs"]] == [
            (one.claim, one.status) for one in entry.proofs
        ]
        assert [one["id"] for one in record["claims"]] == [one.claim.id for one in entry.claims]
    verification = data["api/v1/verification.json"]
    found = [proof["status"] for one in verification["entities"] for proof in one["proofs"]]
    assert verification["totals"] == {status: found.count(status) for status in verification["totals"]}
    assert sum(verification["totals"].values()) == len(found)


def test_the_edges_of_a_graph_run_between_its_nodes(data: dict[str, Any], checked: Checked) -> None:
    for url, record in data.items():
        if record["kind"] != "graph":
            continue
        nodes, values = {one["id"] for one in record["nodes"]}, {one["id"]: one for one in record["values"]}
        blocks = {one["id"] for one in record["blocks"]}
        taken = {(node["id"], port["value"]) for node in record["nodes"] for port in node["takes"]}
        assert {(edge["target"], edge["value"]) for edge in record["edges"]} == taken, url
        assert {edge["source"] for edge in record["edges"]} <= nodes | {None}
        assert {node["block"] for node in record["nodes"]} <= blocks
        assert {child for one in record["blocks"] for child in one["children"]} <= nodes | blocks
        graph = checked.collections[record["id"]].graph
        assert graph is not None
        axes = {name: [str(axis) for axis in one.axes] for name, one in graph.values.items()}
        assert {one["id"]: one["axes"] for one in record["values"]} == axes
        assert set(record["inputs"]) | set(record["outputs"]) <= values.keys()


# Markdown versions


@cache
def parsed(text: str) -> Any:
    return parse(text)


def test_every_page_has_a_markdown_version(site: Site, texts: dict[str, str]) -> None:
    assert {f"{page.url}index.md" for page in site.pages} == {url for url in texts if url.endswith(".md")}
    for page in site.pages:
        form = next(one for one in page.alternates if one.type == MARKDOWN)
        assert form.url == f"{page.url}index.md"
        assert parsed(texts[form.url]).title


def test_every_link_of_a_markdown_version_leads_to_a_file_or_page(site: Site, texts: dict[str, str]) -> None:
    known = {asset.url for asset in site.assets} | {page.url for page in site.pages} | {FILE}
    by_url = {asset.url: asset for asset in site.assets}
    for url, text in texts.items():
        if not url.endswith(".md"):
            continue
        found = [
            str(child.attrs["href"])
            for token in parsed(text).tokens
            for child in token.children or ()
            if child.type == "link_open"
        ]
        inside = [link for link in found if "://" not in link]
        assert inside, url
        assert {joined(url, link).partition("?")[0] for link in inside} <= known, url
        assert set(inside) <= by_url[url].links | by_url[url].more_links(), url


def test_tables_are_tables(texts: dict[str, str]) -> None:
    rows = 0
    for url, text in texts.items():
        if not url.endswith(".md"):
            continue
        tokens = parsed(text).tokens
        code = {
            number
            for token in tokens
            if token.type in ("fence", "code_block", "math_block") and token.map
            for number in range(*token.map)
        }
        written = sum(line.startswith("|") for number, line in enumerate(text.split("\n")) if number not in code)
        tables = sum(token.type == "table_open" for token in tokens)
        read = sum(token.type == "tr_open" for token in tokens)
        assert written == read + tables, url  # a table's second line is no row
        for number, (line, after) in enumerate(pairwise(text.split("\n"))):
            if number not in code and re.fullmatch(r"\|( ?-+ ?\|)+ ?", line):
                head = text.split("\n")[number - 1]
                assert bars(head) == bars(line), (url, head)
                assert bars(after) == bars(line), (url, after)
        rows += read
    assert rows > 500


def bars(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.mark.parametrize("entry", ATLAS.entries, ids=lambda one: one.id)
def test_a_component_says_in_markdown_what_its_entry_says(texts: dict[str, str], entry: Any) -> None:
    text = texts[f"{entry.id}/index.md"]
    found = parsed(text)
    assert found.title == entry.data.title
    displayed = [formula.tex.split() for formula in found.formulas if formula.display]
    assert displayed == [entry.data.formula.split()]
    inline = {formula.tex for formula in found.formulas if not formula.display}
    assert {inline_maths(symbol)[1:-1] for symbol in entry.data.symbols} <= inline
    for claim in entry.data.sources:
        manifest = ATLAS.sources[claim.source].data
        assert f"**{claim.id}**" in text
        assert manifest.link(claim.path, *claim.span) in text
        assert f"[{manifest.license}]" in text
    fences = [token.content for token in found.tokens if token.type == "fence"]
    assert len(fences) == len(entry.data.sources) + 1


def test_excerpts_in_markdown_are_the_pinned_lines(texts: dict[str, str], checked: Checked) -> None:
    for entry in checked.entries:
        fences = [
            token.content for token in parsed(texts[f"{entry.entry.id}/index.md"]).tokens if token.type == "fence"
        ]
        for claim, fence in zip(entry.claims, fences, strict=False):
            assert claim.excerpt is not None
            assert [line.rstrip() for line in fence.rstrip().split("\n")] == [
                line.rstrip() for line in claim.excerpt.text.rstrip().split("\n")
            ], (entry.entry.id, claim.claim.id)


# Citations


def test_every_entity_is_cited_with_its_address(site: Site, texts: dict[str, str]) -> None:
    cited = {page.url: texts[f"{page.url}cite.bib"] for page in site.pages if page.kind in CITED}
    keys = [re.findall(r"@misc\{([^,]+),", text) for text in cited.values()]
    for url, text in cited.items():
        assert f"url = {{{SITE_URL}{url}}}" in text
        assert "author = {{The contributors of " in text
        assert f"note = {{OpenModelAtlas {version('openmodelatlas')}}}" in text
        assert text.count("{") == text.count("}")
    assert len({one[0] for one in keys}) == len(keys)
    assert {f"{page.url}cite.bib" for page in site.pages if page.kind not in CITED}.isdisjoint(texts)


def test_the_whole_atlas_is_cited_with_every_publication(texts: dict[str, str]) -> None:
    text = texts["api/v1/atlas.bib"]
    models = [name for name, one in ATLAS.collections.items() if isinstance(one.data, Model)]
    assert re.findall(r"@misc\{([^,]+),", text) == ["atlas", *models]
    assert "year" not in text.partition("\n\n")[0]  # nothing depends on the day of the build


def test_a_model_is_cited_with_its_publication(checked: Checked, texts: dict[str, str]) -> None:
    shares = [citation_share(one) for one in checked.collections.values()]
    assert pickle.loads(pickle.dumps(shares)) == shares  # noqa: S301
    view = object()
    plans = [PagePlan(f"{name}/", "model", name, f"The {name}", "", None, None, view) for name in ("gpt-2", "chainer")]
    plans.append(PagePlan("glossary/", "glossary", "Glossary", "Glossary", "", None, None, view))
    files = {one.url: one for one in citation_files(shares, plans, "Atlas", "")}
    written = {url: text_of(one) for url, one in files.items()}
    assert list(written) == ["gpt-2/cite.bib", "chainer/cite.bib", "api/v1/atlas.bib"]
    own = re.findall(r"@misc\{([^,]+),\n  title = \{([^}]+)\}", written["gpt-2/cite.bib"])
    paper = ATLAS.collections["gpt-2"].data
    assert isinstance(paper, Model)
    assert own == [("atlas:gpt-2", "The gpt-2"), ("gpt-2", paper.paper.title)]
    assert written["chainer/cite.bib"] == (
        "@misc{atlas:chainer,\n  title = {The chainer},\n  author = {{The contributors of Atlas}},\n"
        f"  howpublished = {{Atlas}},\n  note = {{OpenModelAtlas {version(PACKAGE)}}}\n}}\n"
    )
    assert [one.page for one in files.values()] == ["gpt-2/", "chainer/", None]
    assert written["api/v1/atlas.bib"] == texts["api/v1/atlas.bib"].replace(f",\n  url = {{{SITE_URL}}}", "")


def test_an_operator_of_the_catalogue_is_in_its_family_with_its_file(data: dict[str, Any]) -> None:
    found = {
        one["name"]: joined(url, one["numpy"])
        for url, record in data.items()
        if record["kind"] == "operators"
        for one in record["formulations"]
    }
    assert found == {
        name: f"operators/{operator.family}/{name}.py"
        for name, operator in CATALOGUE.items()
        if operator in FAMILIES[operator.family]
    }


def test_the_data_page_has_every_key(site: Site, schemas: dict[str, Any]) -> None:
    body = next(page for page in site.pages if page.url == "data/").body()
    for name in DOCUMENTS:
        section = body.partition(f'id="file-{name}"')[2].partition("<h3")[0].partition("<h2")[0]
        keys = re.findall(r"<th scope=\"row\"><code>([^<]+)</code>", section)
        assert keys == list(schemas[f"api/v1/schema/{name}.json"]["properties"])
    records = {name for schema in schemas.values() for name in schema.get("$defs", {}) if "entries" not in schema}
    anchors = set(re.findall(r'href="#(record-[a-z0-9]+)"', body))
    assert anchors <= set(re.findall(r'id="(record-[a-z0-9]+)"', body))
    assert len(anchors) > 20 <= len(records)
    assert "The project states no licence" in body
