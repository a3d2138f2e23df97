"""What is said of fields: the docstrings below them, wherever a class has its fields from."""

from __future__ import annotations

from pydantic import Field

from atlas.entries.base import Record
from atlas.entries.descriptions import Described, descriptions
from atlas.entries.schemas import KINDS


class Part(Described):
    """A part."""

    name: str
    """What it is called;
    a second line."""
    unsaid: int = 0
    alias_: str = Field(alias="as", default="")
    """Another name."""
    part: Part | None = None
    """A part."""


class Whole(Part):
    """A whole."""

    name: str
    """What the whole is called."""
    default: int = 1
    """How many there are."""


def test_fields_are_described_by_the_docstrings_below_them() -> None:
    assert descriptions(Part) == {
        "name": "What it is called;\na second line.",
        "alias_": "Another name.",
        "part": "A part.",
    }


def test_inherited_fields_keep_their_description_unless_the_class_has_its_own() -> None:
    assert descriptions(Whole) == {
        "name": "What the whole is called.",
        "alias_": "Another name.",
        "part": "A part.",
        "default": "How many there are.",
    }


def test_a_schema_describes_each_key_once() -> None:
    schema = Whole.model_json_schema(by_alias=True)
    found = {name: key.get("description") for name, key in schema["properties"].items()}
    assert found == {
        "name": "What the whole is called.",
        "unsaid": None,
        "as": "Another name.",
        "part": "A part.",
        "default": "How many there are.",
    }
    assert list(schema["properties"]["default"]) == ["default", "description", "title", "type"]


class Holder(Described):
    """What holds a part."""

    one: Part
    """A part."""
    other: Part
    """Another part."""


def test_a_key_does_not_say_again_what_its_record_says_of_itself() -> None:
    properties = Holder.model_json_schema()["properties"]
    assert properties["one"] == {"$ref": "#/$defs/Part"}
    assert properties["other"] == {"$ref": "#/$defs/Part", "description": "Another part."}


def test_every_field_of_every_file_that_contributors_write_is_described() -> None:
    waiting: list[type[Record]] = [Record, *KINDS.values()]
    for one in waiting:  # grows while it is gone through
        waiting += one.__subclasses__()
    ours = [one for one in waiting if one.__module__.startswith("atlas.")]
    assert len(ours) > 20
    assert [(one, name) for one in ours for name in one.model_fields if name not in descriptions(one)] == []
