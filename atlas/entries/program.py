"""The schema of a program: the pinned calls that make an upstream model which no library of today runs any more.

What is between the calls is upstream's own code; the names here say which of its values are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from atlas.entries.base import Axes, DottedName, Form, Identifier, Latex, MisfitError, Name, Record, SizeText
from atlas.entries.component import TensorName
from atlas.entries.manifest import RepositoryPath

PositiveSize = Annotated[int, Field(ge=1, le=10**12)]
SizeList = Annotated[tuple[PositiveSize, ...], Field(min_length=1, max_length=10_000)]

ValueName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Form("a value of the model, such as encoder.x_{n+1}"),
]
"""A value of the model: its LaTeX name, with the stack that it comes from and a dot before it where it is another."""

ReferenceText = Annotated[
    str,
    StringConstraints(pattern=r"^[^.\s]+(\.[A-Za-z0-9_]+)*$", max_length=200),
    Form("a name, perhaps with parts after dots, such as logits.0"),
]
"""The name of an input, a size, a constant or an earlier result, and `.part` for an attribute, key or number of it."""

MAX_DEPTH = 8
"""How deep lists and mappings of an argument may be nested."""


def _plain(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(f"lists and mappings are nested more than {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for name, one in value.items():
            if not isinstance(name, str):
                raise ValueError(f"`{name}` is no text, as every key is")
            _plain(one, depth + 1)
    elif isinstance(value, list | tuple):
        for one in value:
            _plain(one, depth + 1)
    return value


ArgumentValue = Annotated[
    Any, AfterValidator(_plain), Form("a number, true, false, null or a text, or lists and mappings of such")
]
"""A number, true, false, null, or a text; lists and mappings of such."""


class Call(Record):
    """One call of a pinned function, class or method."""

    call: Name
    """The function or class that `file` defines, or the method of `of`."""
    file: RepositoryPath | None = None
    """The pinned file that defines it."""
    of: ReferenceText | None = None
    """The earlier result whose method is called."""
    passes: Mapping[Name, ArgumentValue] = Field(default_factory=dict)
    """What each argument is given; a text is the name of an input, a size, a constant or an earlier result."""
    sets: Mapping[Name, ArgumentValue] = Field(default_factory=dict)
    """Attributes of the result, each with the value that it is set to afterwards."""
    gives: Name | tuple[Name, ...] = ()
    """What the result is called, or the members of a result that is a list."""

    @model_validator(mode="after")
    def _one_owner(self) -> Call:
        if (self.file is None) == (self.of is None):
            raise MisfitError("a call has either `file` or `of`", "state one of the two")
        return self


class Hyperparameters(Record):
    """The pinned function that chooses a variant's sizes; the steps know what it returns as `hparams`."""

    file: RepositoryPath
    """The pinned file that defines the functions."""
    functions: Annotated[Mapping[Identifier, Name], Field(min_length=1)]
    """For each variant: the function that chooses its hyperparameters. That of the first serves the small model."""
    keys: Annotated[Mapping[Name, SizeText], Field(min_length=1)]
    """Hyperparameters that are sizes, each with the size."""
    settings: Mapping[Name, ArgumentValue] = Field(default_factory=dict)
    """Hyperparameters that have this value in every variant; with another, it would be another architecture."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Hyperparameters:
        for name in self.keys:
            if name in self.settings:
                raise MisfitError(f"{name} is among `keys` and among `settings`", "remove it from one of the two")
        return self


class ProgramInput(Record):
    """One of our inputs as the program takes it."""

    value: Latex
    """The input of ours."""
    shape: Axes | None = None
    """The shape in which upstream takes it, such as `[B, S, 1, 1]`; left out where it is the same."""


class Program(Record):
    """The upstream model as a short program of pinned calls, against which the whole model is proved."""

    source: Identifier
    """The manifest that pins the files."""
    facade: Literal["tensorflow", "chainer"]
    """The small NumPy stand-in for the library that the files call."""
    hparams: Hyperparameters
    """What chooses the sizes."""
    constants: Mapping[Name, ArgumentValue] = Field(default_factory=dict)
    """Values to refer to, such as texts, which an argument cannot be."""
    loads: Mapping[RepositoryPath, tuple[DottedName, ...]] = Field(default_factory=dict)
    """Definitions that upstream finds because they registered themselves, by file."""
    steps: Annotated[tuple[Call, ...], Field(min_length=1)]
    """The calls in order, after that of the hyperparameters."""
    watches: Mapping[RepositoryPath, tuple[DottedName, ...]] = Field(default_factory=dict)
    """Functions, and methods as `Class.method`, whose results are compared, by file."""
    tiny: Annotated[Mapping[Latex, PositiveSize | SizeList], Field(min_length=1)]
    """Small sizes for the proof, those of the inputs included; each above 1, and all different."""
    inputs: Annotated[Mapping[Name, ProgramInput], Field(min_length=1)]
    """Names that the steps refer to, each with the input of ours."""
    outputs: Annotated[Mapping[ReferenceText, ValueName], Field(min_length=1)]
    """References to what the model returns, each with the value of ours."""
    states: Mapping[TensorName, ValueName] = Field(default_factory=dict)
    """What watched functions returned, each with the value of ours: the variable scope of the call and the function's
    name, with `_1` for the second call there and `:0` for the first member of a list; `{n}` is the layer."""
