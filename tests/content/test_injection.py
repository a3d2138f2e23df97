"""Markup and links of scripts in every text that the schema admits: built as a site, they make no element of a page.

The schema itself is walked, so a field that is added later is filled too, and a page that prints it raw fails.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
import yaml
from annotated_types import MaxLen
from mkdocs.commands.build import build
from mkdocs.config import load_config
from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from atlas.checks.run import Outcome
from atlas.entries.collection import Library, Model
from atlas.entries.component import Component
from atlas.entries.load import COLLECTION_FILES
from atlas.entries.manifest import Manifest
from atlas.entries.tree import Value, read

Check = Callable[[Path], Outcome]
Place = tuple[str, str]
"""A record of the schema and one of its fields; of a mapping's keys, with `[key]`."""

REPOSITORY = Path(__file__).resolve().parents[2]
LONGEST_NAME = 200
"""Texts that may be longer are prose; shorter ones name something."""

HARM = (
    "<x-canary onload=1>\"><svg x-canary=1 onload=1>' x-canary='1</title></script></style></textarea></template>"
    "<!--<x-canary>--> [a](javascript:x-canary) [b](data:text/html,x-canary) ![c](JavaScript:x-canary) "
    "<javascript:x-canary> [d](vbscript:x-canary 'x-canary') {{ x_canary }}{% x_canary %} &lt;x-canary&gt; ]]>"
)
COMPARED: Mapping[Place, str] = {
    ("Component", "formula"): "LaTeX, which KaTeX reads; tests/content/test_hostile.py",
    ("Component", "conventions"): "compared with the operator's",
    ("Execution", "variables[key]"): "names of upstream variables, no part of a page",
    ("Upstream", "unlike_default"): "for those who read the YAML, no part of a page",
}
"""Texts that are no free prose."""
CHANGES_MORE = frozenset(("formula_not_executed", "parameter", "buffer", "precision_note"))
"""Keys that say more than their text; they are filled where they stand."""
NOT_SHOWN = {("Upstream", "ignored")}
"""Texts that explain something to those who read the YAML; no page shows them."""


@dataclass(slots=True)
class Schema:
    """What the schema says of texts."""

    prose: set[Place] = field(default_factory=set)
    seen: set[type[BaseModel]] = field(default_factory=set)

    def walk(self, record: type[BaseModel]) -> None:
        if record in self.seen:
            return
        self.seen.add(record)
        for name, annotation in fields(record).items():
            self.look(record, name, annotation)

    def look(self, record: type[BaseModel], name: str, annotation: object) -> None:
        if is_prose(annotation):
            self.prose.add((record.__name__, name))
        elif (inner := record_in(annotation)) is not None:
            self.walk(inner)
        elif get_origin(annotation) is Mapping:
            key, value = get_args(annotation)
            self.look(record, f"{name}[key]", key)
            self.look(record, name, value)
        else:
            for part in get_args(annotation):
                self.look(record, name, part)


def fields(record: type[BaseModel]) -> dict[str, object]:
    """The annotation of each key of a record, with what is annotated to it."""
    return {
        one.alias or name: Annotated[one.annotation, *one.metadata] if one.metadata else one.annotation
        for name, one in record.model_fields.items()
    }


def record_in(annotation: object) -> type[BaseModel] | None:
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def is_prose(annotation: object) -> bool:
    """Whether a text of any form and some length is admitted."""
    if get_origin(annotation) is not Annotated or get_args(annotation)[0] is not str:
        return False
    longest = [
        one.max_length for one in get_args(annotation) if isinstance(one, StringConstraints | MaxLen) and one.max_length
    ]
    return admits(annotation, HARM) and all(length > LONGEST_NAME for length in longest)


def admits(annotation: Any, value: object) -> bool:
    config = None if record_in(annotation) else ConfigDict(strict=True)
    try:
        TypeAdapter(annotation, config=config).validate_python(value)
    except ValidationError:
        return False
    return True


@dataclass(slots=True)
class Injection:
    """Fills documents with harm: all prose at once, each place with a word of its own."""

    words: dict[Place, str] = field(default_factory=dict)

    def harm(self, place: Place) -> str:
        word = self.words.setdefault(place, f"canary{len(self.words)}word")
        return f"{word} {HARM}"

    def document(self, value: Value, record: type[BaseModel]) -> Any:
        assert isinstance(value, dict)
        filled = {key: self.value(inner, fields(record)[key], (record.__name__, key)) for key, inner in value.items()}
        for key, annotation in fields(record).items():
            place = (record.__name__, key)
            if key in filled or place in COMPARED or key in CHANGES_MORE:
                continue
            if any(is_prose(part) for part in get_args(annotation)) and NoneType in get_args(annotation):
                filled[key] = self.harm(place)
            elif get_origin(annotation) is tuple and is_prose(get_args(annotation)[0]):
                filled[key] = [self.harm(place)]
        return filled

    def value(self, value: Value, annotation: object, place: Place) -> Any:
        if isinstance(value, str) and is_prose(annotation) and place not in COMPARED:
            return self.harm(place)
        if get_origin(annotation) in (Annotated, Union, UnionType) and not is_prose(annotation):
            branches = [part for part in get_args(annotation) if part is not NoneType]
            branches = branches[:1] if get_origin(annotation) is Annotated else branches
            chosen = next((part for part in branches if admits(part, plain(value))), branches[0])
            return self.value(value, chosen, place)
        if isinstance(value, dict) and (record := record_in(annotation)) is not None:
            return self.document(value, record)
        if not get_args(annotation):
            return value
        if isinstance(value, dict):
            return {key: self.value(inner, get_args(annotation)[1], place) for key, inner in value.items()}
        if isinstance(value, tuple):
            items = get_args(annotation)
            return [self.value(one, items[0 if items[-1] is Ellipsis else at], place) for at, one in enumerate(value)]
        return value


def plain(value: Value) -> Any:
    """The value as pydantic takes it."""
    return value


class Dumper(yaml.SafeDumper):
    """Writes every text in single quotes, in which nothing has a meaning."""


Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="'"))


def schema_of(file: Path) -> type[BaseModel]:
    if file.parent.name == "sources":
        return Manifest
    return COLLECTION_FILES.get(file.stem, Component)


def inject(root: Path) -> Injection:
    """Fill every YAML file of a project with harm."""
    injection = Injection()
    for file in sorted([*(root / "content").rglob("*.yml"), *(root / "sources").glob("*.yml")]):
        document, issues = read(file, file.name)
        assert document is not None, issues
        filled = injection.document(document.value, schema_of(file))
        if file.name == "layer-normalization.yml":
            del filled["batch"]
            filled["formula_not_executed"] = injection.harm(("Component", "formula_not_executed"))
        file.write_text(yaml.dump(filled, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10**6), "utf-8")
    return injection


class Reader(HTMLParser):
    """What a browser would make of a page, as far as the harm is in it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.made: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.made += [f"<{tag}>"] * ("canary" in tag)
        for name, value in attrs:
            self.made += [f"<{tag} {name}>"] * ("canary" in name)
            self.made += [f"<{tag} {name}={value}>"] * (name.startswith("on"))
            scheme = "".join(char for char in value or "" if char > " ").lower()
            if name in ("href", "src", "action", "formaction", "data", "xlink:href", "srcdoc", "style"):
                bad = scheme.startswith(("javascript:", "vbscript:", "data:text", "livescript:"))
                self.made += [f"<{tag} {name}={value}>"] * (bad or (name in ("srcdoc", "style") and "canary" in scheme))

    def handle_comment(self, data: str) -> None:
        self.made += [f"<!--{data}-->"] * ("canary" in data)

    def unknown_decl(self, data: str) -> None:
        self.made += [f"<![{data}"] * ("canary" in data)


def texts_of_the_schema() -> set[Place]:
    schema = Schema()
    for record in (Component, Model, Library, Manifest):
        schema.walk(record)
    return schema.prose


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, sources_at_hand: None) -> tuple[Injection, Mapping[str, str]]:
    """What was injected, and the HTML of every page."""
    root = tmp_path_factory.mktemp("injected")
    for name in ("content", "sources"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("*.proofs.json", "*.md"))
    shutil.copyfile(REPOSITORY / "mkdocs.yml", root / "mkdocs.yml")
    settings = (root / "mkdocs.yml").read_text(encoding="utf-8")
    titles = {"nav": [{HARM: "chainer/library.yml"}, {HARM: ["gpt-2/model.yml", {HARM: "https://example.org/"}]}]}
    nav = yaml.dump(titles, Dumper=Dumper, allow_unicode=True, width=10**6)
    (root / "mkdocs.yml").write_text(f"{settings.partition('nav:')[0]}\n{nav}", encoding="utf-8")
    injection = inject(root)
    config = load_config(config_file=str(root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
    site = root / "site"
    return injection, {str(file.relative_to(site)): file.read_text("utf-8") for file in sorted(site.rglob("*.html"))}


def test_every_text_of_the_schema_is_filled(built: tuple[Injection, Mapping[str, str]]) -> None:
    filled = built[0].words.keys()
    assert texts_of_the_schema() - filled - COMPARED.keys() == set()
    assert len(filled) > 40


def test_no_text_makes_an_element_or_an_attribute(built: tuple[Injection, Mapping[str, str]]) -> None:
    made = {}
    for path, html in built[1].items():
        reader = Reader()
        reader.feed(html)
        reader.close()
        if reader.made:
            made[path] = reader.made[:3]
    assert made == {}
    assert len(built[1]) > 60


def test_every_text_stands_on_a_page(built: tuple[Injection, Mapping[str, str]]) -> None:
    """So that what is tested above was there to do harm."""
    whole = "\n".join(built[1].values())
    assert {place for place, word in built[0].words.items() if word not in whole} == NOT_SHOWN


def test_the_reader_sees_harm_that_is_printed_raw() -> None:
    reader = Reader()
    reader.feed(f"<p>{HARM}</p><a href='java\tscript:x'>x</a>")
    reader.close()
    assert {"<x-canary>", "<svg x-canary>", "<svg onload=1>", "<a href=java\tscript:x>"} <= set(reader.made)


Where = tuple[str | int, ...]
"""A key path in a document."""


def names(value: Value, annotation: object, path: Where, place: Place) -> Iterator[tuple[Where, Place]]:
    """The texts below a value that are no prose: names, sizes, formulas, addresses, digests."""
    if is_prose(annotation):
        return
    if get_origin(annotation) in (Annotated, Union, UnionType):
        branches = [part for part in get_args(annotation) if part is not NoneType]
        branches = branches[:1] if get_origin(annotation) is Annotated else branches
        chosen = next((part for part in branches if admits(part, value)), branches[0])
        yield from names(value, chosen, path, place)
    elif isinstance(value, str):
        yield path, place
    elif isinstance(value, dict):
        record = record_in(annotation)
        for key, inner in value.items():
            if record is None:
                yield from names(inner, get_args(annotation)[1], (*path, key), place)
            else:
                yield from names(inner, fields(record)[key], (*path, key), (record.__name__, key))
    elif isinstance(value, tuple):
        items = get_args(annotation)
        for at, one in enumerate(value):
            yield from names(one, items[0 if items[-1] is Ellipsis else at], (*path, at), place)


SHOWN_AS_MATHS = {("Stack", "carries")}
"""Names of values that nothing else may name; KaTeX shows them, and escapes what it shows."""


FILES = (
    "content/transformer/encoder/ffn-layer-norm.yml",
    "content/transformer/model.yml",
    "content/tiny/model.yml",
    "content/tiny/decoder/attention.yml",
    "content/chainer/layer-normalization.yml",
    "content/chainer/library.yml",
    "sources/chainer.yml",
)


def places_of_names() -> Iterator[tuple[str, Where]]:
    """One place in the small atlas for each field that names something."""
    seen: set[Place] = set()
    for path in FILES:
        file = REPOSITORY / "tests" / "project" / path
        document, _ = read(file, path)
        assert document is not None
        for where, place in names(document.value, schema_of(file), (), ("", "")):
            if place not in seen | SHOWN_AS_MATHS:
                seen.add(place)
                yield path, where


@pytest.mark.parametrize(("path", "where"), list(places_of_names()), ids=lambda part: str(part).rpartition("/")[2])
def test_what_names_something_is_refused_as_markup(project: Path, check: Check, path: str, where: Where) -> None:
    file = project / path
    document, _ = read(file, path)
    assert document is not None
    value = yaml.safe_load(yaml.dump(document.value, Dumper=TupleDumper))
    at = value
    for part in where[:-1]:
        at = at[part]
    at[where[-1]] = "<x-canary onload=1>"
    file.write_text(yaml.dump(value, Dumper=TupleDumper, sort_keys=False, allow_unicode=True, width=10**6), "utf-8")
    outcome = check(project)
    assert outcome.checked is None
    assert any(issue.severity == "error" for issue in outcome.issues)


class TupleDumper(Dumper):
    """Writes tuples as lists."""


TupleDumper.add_representer(tuple, lambda dumper, items: dumper.represent_list(items))
