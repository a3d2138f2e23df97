"""The kinds of data files that stand beside the collections: operators, sources, and what concerns the whole atlas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import InstanceOf, PlainSerializer

from atlas.render.json_records import DifferenceIn, DisagreeingFigure, Proof
from atlas.render.json_types import Address, Document, Item, JsonRecord


class OptionOf(JsonRecord):
    """One option of an operator."""

    name: str
    """Its name."""
    type: Literal["float", "int", "bool", "str"]
    """The type of its values."""
    required: bool
    """Whether a call must give it."""
    default: float | int | bool | str | None
    """Its default; null also where it is required."""


class Formulation(JsonRecord):
    """One operator of a family."""

    name: str
    """Its name in code."""
    title: str
    """Its name as people write it."""
    summary: str
    """What it does."""
    contract: str
    """The arrays that it takes and returns, with their axes."""
    parameters: tuple[str, ...]
    """The arguments that are learned."""
    options: tuple[OptionOf, ...]
    """Its options."""
    conventions: dict[str, str]
    """What formulations of the family differ in."""
    gradient: str | None
    """The name of its gradient in code."""
    published: str
    """Where it is published."""
    numpy: Address
    """Its source with all that it needs to run alone."""
    used_by: tuple[Item, ...]
    """The components that are checked against it."""


class OperatorsDocument(Document):
    """A family of executable NumPy operators."""

    is_of_one: ClassVar[bool] = True

    kind: Literal["operators"] = "operators"
    """The kind of file."""
    id: str
    """The family's name in addresses."""
    title: str
    """Its name as people write it."""
    page: Address
    """Its page."""
    markdown: Address
    """The same as Markdown."""
    bibtex: Address
    """How to cite the page."""
    does: str
    """What its operators do in a model."""
    formulations: tuple[Formulation, ...]
    """Its operators."""


class Archive(JsonRecord):
    """The package that pinned files are brought from."""

    package: str
    """The package and its version, as `name==version`."""
    file: str
    """The archive's name."""
    sha256: str
    """The archive's SHA-256."""


class Passage(JsonRecord):
    """Lines of a pinned file that a component documents."""

    first_line: int
    """The first line."""
    last_line: int
    """The last line."""
    claim: str
    """The id of the component's claim."""
    component: Item
    """The component."""


class PinnedFileOf(JsonRecord):
    """One pinned file."""

    path: str
    """Its path in the repository."""
    page: Address
    """The file on this site."""
    upstream: str
    """The file at the revision, on the repository's own site."""
    blob: str
    """Git's object id."""
    pin: Literal["proved", "release", "never proved", "edited"]
    """Whether git was asked that it belongs to the revision."""
    pin_message: str
    """What is known of the pin, in words."""
    at_hand: bool
    """Whether the file was there when this site was built."""
    passages: tuple[Passage, ...]
    """The documented passages in the order of the file."""


class SourceDocument(Document):
    """A pinned upstream project."""

    is_of_one: ClassVar[bool] = True

    kind: Literal["source"] = "source"
    """The kind of file."""
    id: str
    """The name of its manifest."""
    title: str
    """Its name."""
    page: Address
    """Its page."""
    markdown: Address
    """The same as Markdown."""
    bibtex: Address
    """How to cite the page."""
    repository: str
    """The address of its git repository."""
    revision: str
    """The commit, or the release tag while no commit is proved."""
    is_commit: bool
    """Whether the revision is a commit."""
    release: str | None
    """The release that the revision was published as."""
    license: str
    """Its licence as an SPDX expression."""
    copyright: str
    """Who holds the copyright."""
    archive: Archive | None
    """The package that the files are brought from; null where they come from git."""
    files: tuple[PinnedFileOf, ...]
    """The pinned files."""


class ListDocument(Document):
    """All entities of one kind."""

    kind: Literal["list"] = "list"
    """The kind of file."""
    of: Literal["models", "libraries", "components", "operators", "sources"]
    """What is listed."""
    page: Address
    """A page that lists them for readers."""
    items: tuple[Item, ...]
    """The entities, in the order of their ids."""


class ProofsOf(JsonRecord):
    """What was proved of one entity."""

    entity: Item
    """The model or component."""
    proofs: tuple[Proof, ...]
    """Its claims with what is known of each."""


def _each(entities: Iterable[ProofsOf]) -> Iterator[ProofsOf]:
    """One record after the other, as tens of thousands of them at once would take the memory of a whole build."""
    yield from entities


class VerificationDocument(Document):
    """Every claim of the atlas with its proof."""

    kind: Literal["verification"] = "verification"
    """The kind of file."""
    page: Address
    """The page that shows them."""
    totals: dict[str, int]
    """How many claims have each status."""
    entities: Annotated[InstanceOf[Iterable[ProofsOf]], PlainSerializer(_each, return_type=Iterable[ProofsOf])]
    """The models that are proved as a whole, then the components."""


class Name(JsonRecord):
    """One symbol with one of its meanings."""

    symbol: str
    """The symbol in LaTeX."""
    meaning: str
    """What it stands for."""
    argument: str | None
    """The operator's argument that it stands for; null for a size."""
    names: tuple[str, ...]
    """Its names in configurations, or the names under which upstream stores it."""
    used_by: tuple[Item, ...]
    """Where it is used."""


class SymbolsDocument(Document):
    """Every size and symbol with its names in formula, configuration and code."""

    kind: Literal["symbols"] = "symbols"
    """The kind of file."""
    page: Address
    """The page that shows them."""
    sizes: tuple[Name, ...]
    """Sizes of models and libraries."""
    symbols: tuple[Name, ...]
    """Symbols of formulas."""


class ConflictsDocument(Document):
    """Where publications and pinned code, or published and derived figures, do not agree."""

    kind: Literal["conflicts"] = "conflicts"
    """The kind of file."""
    page: Address
    """The page of all claims."""
    differences: tuple[DifferenceIn, ...]
    """Points on which a publication and the pinned code do not agree."""
    figures: tuple[DisagreeingFigure, ...]
    """Published figures that are not the derived ones."""


class Generator(JsonRecord):
    """The program that made the site."""

    name: str
    """Its name."""
    version: str
    """Its version."""


class IndexDocument(Document):
    """Where everything is: the first file to read."""

    kind: Literal["index"] = "index"
    """The kind of file."""
    api: Literal["v1"] = "v1"
    """The version of these files; keys may be added to it, none is removed or changed in meaning."""
    title: str
    """The site's name."""
    page: Address
    """The home page."""
    documentation: Address
    """The page that documents these files."""
    license: str | None
    """The licence of the data as an SPDX expression; excerpts of sources have their own."""
    generator: Generator
    """The program that made the site."""
    counts: dict[str, int]
    """How many entities and claims there are."""
    lists: dict[str, Address]
    """The file that lists the entities of each kind."""
    verification: Address
    """Every claim with its proof."""
    symbols: Address
    """Every size and symbol."""
    conflicts: Address
    """Where publication and code do not agree."""
    everything: Address
    """All of these files in one, a record on each line."""
    bibtex: Address
    """How to cite the atlas and what it documents."""
    schemas: dict[str, Address]
    """The JSON Schema of each kind of file."""
    entry_schemas: dict[str, Address]
    """The JSON Schema of each kind of YAML file that contributors write."""
