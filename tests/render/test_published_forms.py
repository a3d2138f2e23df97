"""The data files, Markdown versions and citations of the real content: complete, by their schemas, and true."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic_core import PydanticSerializationError

from atlas.checks.checked import Checked
from atlas.entries.collection import Model
from atlas.graph.unroll import Sizes, unroll
from atlas.graph.weights import weights_of
from atlas.operators.catalogue import CATALOGUE, FAMILIES
from atlas.render import json_files
from atlas.render.deferred import Typesetting
from atlas.render.json_component import component_document
from atlas.render.json_files import DOCUMENTS
from atlas.render.json_references import list_documents
from atlas.render.json_types import Document, FilePlace
from atlas.render.json_written import WrittenDocument, written_document, written_documents
from atlas.render.parts import Parts
from atlas.render.shares import Shares
from atlas.render.site import Site, Streamed
from atlas.render.uses import Uses, uses_share
from tests.render.beside_pages import joined
from tests.render.real_atlas import ATLAS


@pytest.fixture(scope="module")
def site(whole_site: Site) -> Site:
    return whole_site


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


@pytest.fixture(scope="module")
def schemas(texts: dict[str, str]) -> dict[str, Any]:
    return {url: json.loads(text) for url, text in texts.items() if url.startswith("api/v1/schema/")}


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
    known = {asset.url for asset in (*site.assets, *site.forms)} | {page.url for page in site.pages}
    by_url = {asset.url: asset for asset in (*site.assets, *site.forms)}
    for url, one in data.items():
        found = list(links(one))
        assert found
        assert {joined(url, link) for link in found} <= known
        assert set(found) <= by_url[url].links.union(by_url[url].more_links())


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


def general(shares: Shares, parts: Parts) -> Iterator[tuple[str, Document]]:
    """The records of the whole atlas that come first."""
    yield from json_files.general_files("Atlas", "", shares.uses, parts.checked.atlas.sources)
    yield json_files.verification_file(shares)
    yield json_files.symbols_file(shares)
    yield json_files.conflicts_file(shares)


def references(uses: Uses, parts: Parts) -> Iterator[tuple[str, Document]]:
    """The records of operators and sources, which come last."""
    yield from (json_files.family_file(family, uses) for family in FAMILIES)
    yield from (json_files.source_file(one, uses, parts) for one in parts.checked.atlas.sources.values())


def test_the_same_content_gives_the_same_bytes(checked: Checked, whole_shares: Shares, texts: dict[str, str]) -> None:
    parts = alone(checked)
    first = [written_document(url, one) for url, one in general(whole_shares, parts)]
    last = [written_document(url, one) for url, one in references(whole_shares.uses, parts)]
    finished = [*first, *written(checked, Parts(checked, Typesetting())), *last]
    assert all(f"{one.text}\n" == texts[one.url] for one in finished)
    assert "".join(f"{one.line}\n" for one in finished) == texts["api/v1/all.jsonl"]
    every = {url: f"{json.dumps(one, ensure_ascii=False, indent=2)}\n" for url, one in json_files.schemas()}
    assert all(text == texts[url] for url, text in every.items())
    urls = {"api/v1/all.jsonl", *every, *(one.url for one in finished)}
    assert urls == {url for url in texts if url.startswith("api/v1/") and url.endswith((".json", ".jsonl"))}


def test_lists_operators_and_sources_need_no_collection(checked: Checked, texts: dict[str, str]) -> None:
    """They are made of shares that were pickled, and of what concerns no collection."""
    shares = [pickle.loads(pickle.dumps(uses_share(one))) for one in checked.collections.values()]  # noqa: S301 - made here
    uses, parts = Uses(shares), alone(checked)
    made = dict(references(uses, parts))
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
    assert pickle.loads(pickle.dumps(share)) == share  # noqa: S301 - made here
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
    url, first = next(general(whole_shares, alone(checked)))
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
