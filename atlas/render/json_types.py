"""What all records of the data files have in common: documented keys, addresses relative to the file, sizes as terms.

A record holds addresses below the site's root; they become relative to a file when the record is written there, so
that the site may stand below any path and one record may stand in several files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, InstanceOf, PlainSerializer, SerializationInfo, WithJsonSchema

from atlas.entries.descriptions import Described
from atlas.links.meant import linked
from atlas.markup.inline import parse_inline
from atlas.markup.markdown import inline_markdown
from atlas.render.relative import relative_url
from atlas.sizes import Size


@dataclass(frozen=True, slots=True)
class FilePlace:
    """The file that a record is written to."""

    url: str
    """Its address below the site's root."""
    has_folders: bool = True
    """Whether each page of prose is a folder."""
    links: set[str] = field(default_factory=set)
    """Every relative link that was written, to be checked against the built site."""

    def link(self, target: str) -> str:
        """The link from the file to an address below the site's root; one of another site stays as it is."""
        if target.startswith(("https://", "http://", "mailto:")):
            return target
        written = relative_url(target, self.url)
        self.links.add(written)
        return written


@dataclass(frozen=True, slots=True)
class Line:
    """A text of one line as an entry has it."""

    markdown: str
    """The text."""
    file: str
    """The YAML file that it stands in, below the content folder, from which its links are meant."""

    def written(self, place: FilePlace) -> str:
        """The text with its links relative to the file it is written to."""
        if "](" not in self.markdown and "]:" not in self.markdown and "<" not in self.markdown:
            return " ".join(self.markdown.split())

        def link(target: str) -> str:
            address = linked(target, self.file, has_folders=place.has_folders)
            return target if address is None else place.link(address)

        return inline_markdown(parse_inline(self.markdown).tokens, link)


def _address(value: str, info: SerializationInfo) -> str:
    place = info.context
    return place.link(value) if isinstance(place, FilePlace) else _refused()


def _line(value: Line, info: SerializationInfo) -> str:
    place = info.context
    return value.written(place) if isinstance(place, FilePlace) else _refused()


def _refused() -> str:
    raise TypeError("a record is written for the file that it goes to; give its FilePlace as the context")


Address = Annotated[
    str,
    PlainSerializer(_address, return_type=str),
    WithJsonSchema({"type": "string", "format": "uri-reference"}),
]
"""An address; below the site's root until it is written, then relative to the file that holds it."""

Text = Annotated[
    InstanceOf[Line], PlainSerializer(_line, return_type=str), WithJsonSchema({"type": "string"}, mode="serialization")
]
"""A text of one line in Markdown, with formulas between dollars."""


class JsonRecord(Described):
    """Base of everything that data files hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, serialize_by_alias=True)


class Document(JsonRecord):
    """What a data file holds as a whole."""

    is_of_one: ClassVar[bool] = False
    """Whether it is about one entity, which has a page."""

    schema_: Address = Field(alias="$schema")
    """The JSON Schema of this file."""

    @property
    def page_of_one(self) -> str | None:
        """The page of the one entity that it is about; None for a record that is about no single thing."""
        page = getattr(self, "page", None)
        return page if self.is_of_one and isinstance(page, str) else None

    def written(self, place: FilePlace, *, indent: int | None = None) -> str:
        """The record as JSON, with links relative to the file; the same record gives the same bytes."""
        return self.model_dump_json(indent=indent, context=place)


class Term(JsonRecord):
    """One term of a sum: a rational number times powers of size symbols."""

    numerator: int
    """The number's numerator."""
    denominator: int
    """The number's denominator, above 0."""
    powers: dict[str, int]
    """Each symbol with its exponent; a floor counts as a symbol and is written as LaTeX has it."""


class Expression(JsonRecord):
    """A size or count as a sum of products of size symbols."""

    latex: str
    """The sum in LaTeX."""
    terms: tuple[Term, ...]
    """Its terms; none for 0."""
    value: int | None
    """Its value where it holds no symbol, else null."""

    @classmethod
    def of(cls, size: Size) -> Expression:
        """A size as data."""
        return cls(
            latex=str(size),
            terms=tuple(
                Term(numerator=factor.numerator, denominator=factor.denominator, powers=dict(monomial))
                for monomial, factor in size.terms
            ),
            value=size.number,
        )


class Item(JsonRecord):
    """Something that has a page and a data file of its own."""

    id: str
    """Its name: the path of its YAML file without `.yml`, or the name of the family of operators."""
    title: str
    """Its name as people write it."""
    json_: Address = Field(alias="json")
    """Its data file."""
    page: Address
    """Its page."""


@cache
def schema_of(record: type[JsonRecord]) -> Mapping[str, Any]:
    """The JSON Schema of a record as it is written, which several pages and files tell of."""
    return record.model_json_schema(by_alias=True, mode="serialization")


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping that cannot change, as one that JSON has a form for."""
    return dict(values)


def texts(lines: Iterable[str], file: str) -> tuple[Line, ...]:
    """Texts of one file."""
    return tuple(Line(one, file) for one in lines)
