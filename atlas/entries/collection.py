"""The schemas of collections: a model (stacks of layers, variants that bind its sizes) and a library of layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, StringConstraints

from atlas.entries.base import DottedName, Form, HttpsUrl, Identifier, Latex, Record, SizeText, Text
from atlas.entries.component import SourceClaim

Year = Annotated[int, Field(ge=1943, le=2100)]
ArxivId = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9]{4}\.[0-9]{4,5}|[a-z-]+/[0-9]{7})$"),
    Form("an arXiv identifier, such as 1607.06450"),
]
PositiveSize = Annotated[int, Field(ge=1, le=10**12)]


class Paper(Record):
    """The publication that describes a model."""

    title: Text
    """Its title."""
    authors: tuple[Text, ...]
    """Its authors in order."""
    year: Year
    """The year of publication."""
    arxiv: ArxivId | None = None
    """Its arXiv identifier, quoted."""
    url: HttpsUrl | None = None
    """Its address, where it is not on arXiv."""


class Stack(Record):
    """A run of equal layers, each a sequence of components."""

    title: Text
    """The stack's name."""
    layers: SizeText
    """How many layers there are: a number or a size symbol that variants bind."""
    components: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """The layer's components in the order of the data flow: the names of files in the stack's folder."""
    carries: Mapping[Latex, Latex] = Field(default_factory=dict)
    """The value that a layer takes and the value that it hands to the next."""


class Setting(Record):
    """Where the pinned source sets the size of a variant."""

    source: Identifier
    """The variant's source claim whose lines hold the assignment."""
    name: DottedName
    """What is assigned, such as `hparams.hidden_size`."""


class Variant(Record):
    """One configuration of a model: a value for every size symbol."""

    title: Text
    """The variant's name."""
    sizes: Annotated[Mapping[Latex, PositiveSize], Field(min_length=1)]
    """The value of each size symbol."""
    settings: Mapping[Latex, Setting] = Field(default_factory=dict)
    """For each size that the pinned source sets: where; the value there must be the one stated here."""
    sources: tuple[SourceClaim, ...] = ()
    """Claims with the pinned passages that show them."""


class Model(Record):
    """A model: its stacks, its sizes and its variants."""

    title: Text
    """The model's name."""
    summary: Text
    """What it is, in one or two sentences."""
    kind: Text
    """What kind of model it is, such as `encoder–decoder`."""
    paper: Paper
    """The publication that describes it."""
    complete: bool
    """Whether every component of the model has an entry; totals of an incomplete model are not totals of the model."""
    dimensions: Annotated[Mapping[Latex, Text], Field(min_length=1)]
    """Every size symbol with its meaning in a few words."""
    stacks: Annotated[Mapping[Identifier, Stack], Field(min_length=1)]
    """The stacks in the order of the data flow, each named as its folder."""
    variants: Annotated[Mapping[Identifier, Variant], Field(min_length=1)]
    """The configurations; the first is the one whose figures pages show."""
    note: Text | None = None
    """What a reader should know beside the summary."""
    sources: tuple[SourceClaim, ...] = ()
    """Claims about the model as a whole."""


class Library(Record):
    """A library whose layers are documented one by one."""

    title: Text
    """The library's name."""
    summary: Text
    """What it is, in one or two sentences."""
    kind: Text
    """What kind of library it is."""
    source: Identifier
    """The manifest that pins the documented release."""
    dimensions: Annotated[Mapping[Latex, Text], Field(min_length=1)]
    """Every size symbol with its meaning in a few words."""
    layers: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """The documented layers in order: the names of files in the library's folder."""
    note: Text | None = None
    """What a reader should know beside the summary."""
