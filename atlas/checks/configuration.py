"""A configuration file of a documented family → the sizes of our model, with every key accounted for.

A key is a size, a setting that must be as documented, of no consequence with a reason, bookkeeping, or not understood;
a configuration with another setting is another model, and no figure of ours is given for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from atlas.checks.base import listed, unknown
from atlas.checks.bookkeeping import BOOKKEEPING
from atlas.checks.json_values import part, same, shown, texts, whole_number, whole_numbers
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model, Upstream
from atlas.exceptions import SizeError
from atlas.graph.choice import LARGEST, SizeValue
from atlas.graph.solving import solve, unknown_symbol
from atlas.issues import Issue
from atlas.sizes import Size, size

LABELS, LABEL_COUNT = "id2label", "num_labels"
"""Files state the names of the labels; their number is the key that the library knows."""

CLASSES = "architectures"
"""Files state the classes of the library that read them: with another one it may be another model."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a configuration is not one of the documented model."""

    key: str
    """The key that it is about; empty where that is the whole file."""
    code: str
    """The code of an issue."""
    message: str
    """What was expected and what was found."""
    hint: str = ""
    """What to do, or an empty text."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a configuration file says of a model."""

    sizes: Mapping[str, SizeValue]
    """The value of each size symbol."""
    stated_by: Mapping[str, str]
    """For each size symbol: the key, or that a default of the library is taken for one."""
    defaults: tuple[str, ...]
    """Keys that are left out and have the library's default."""
    confirmed: tuple[str, ...]
    """Keys of settings that are as documented."""
    assumed: tuple[str, ...]
    """Settings that are left out and taken to be as documented."""
    ignored: Mapping[str, str]
    """Keys that change nothing that is documented, each with the reason."""
    bookkeeping: tuple[str, ...]
    """Keys that are no part of the architecture."""
    unknown: tuple[str, ...]
    """Keys that were not understood; they may change the model."""
    other_classes: tuple[str, ...]
    """The classes that the file was written for, where the documented one is not among them."""
    problems: tuple[Problem, ...]
    """What is in the way; where there is anything, the sizes may be incomplete."""

    @property
    def understood(self) -> bool:
        """Whether everything that the file says is known to leave the documented model as it is."""
        return not self.unknown and not self.other_classes


def read_configuration(model: Model, upstream: Upstream, data: Mapping[str, object]) -> Configuration:
    """Account for every key of a configuration.

    Args:
        model: The documented model.
        upstream: What it says of the library's configuration.
        data: The configuration's keys and values as JSON has them.
    """
    reader = _Reader(model, upstream)
    reader.read(data)
    return reader.configuration()


def check_upstream_names(collection: Collection) -> Iterator[Issue]:
    """What a model's `upstream` says about components is about those that are there."""
    data = collection.data
    if not isinstance(data, Model) or data.upstream is None or not collection.whole:
        return
    places = set(data.paths)
    for path, stack in data.paths.items():
        places |= {f"{path}/{one if isinstance(one, str) else one.name}" for one in stack.components}
    for key, place in data.upstream.concerns.items():
        if place not in places:
            message = f"the model has no component or stack {place}"
            yield unknown(collection, ("upstream", "concerns", key), "A609", message, place, places)


@dataclass(frozen=True, slots=True)
class _Equation:
    """A size expression and its value."""

    key: str
    """The key that states it."""
    expression: Size
    """The expression."""
    value: int
    """Its value."""
    layer: int | None
    """For a list: which of its values."""
    by_default: bool
    """Whether it is the library's default."""

    @property
    def source(self) -> str:
        """Who says so."""
        return f"the default of {self.key}" if self.by_default else self.key


@dataclass(slots=True)
class _Reader:
    model: Model
    upstream: Upstream
    problems: list[Problem] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    lists: dict[str, dict[int, int]] = field(default_factory=dict)
    stated_by: dict[str, str] = field(default_factory=dict)
    equations: list[_Equation] = field(default_factory=list)
    present: dict[str, str] = field(default_factory=dict)
    """The keys that are stated, each with the name under which it is."""
    refused: set[str] = field(default_factory=set)
    """Keys whose value does not fit, from which nothing follows."""
    defaults: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    ignored: dict[str, str] = field(default_factory=dict)
    bookkeeping: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    other_classes: list[str] = field(default_factory=list)

    @property
    def varying(self) -> set[str]:
        """The sizes that have a value for each layer."""
        return {name for stack in self.model.paths.values() for name in stack.varies}

    @property
    def needed(self) -> list[str]:
        """The sizes that a variant binds."""
        return list(dict.fromkeys(name for variant in self.model.variants.values() for name in variant.sizes))

    def problem(self, key: str, code: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(key, code, message, hint))

    def read(self, data: Mapping[str, object]) -> None:
        for name, value in data.items():
            self.key(name, value)
        classes = texts(data.get(CLASSES))
        self.other_classes = [] if self.upstream.model in classes else classes
        labels = data.get(LABELS)
        if LABEL_COUNT in self.upstream.keys and LABEL_COUNT not in self.present and isinstance(labels, dict):
            self.present[LABEL_COUNT] = LABELS
            self.bookkeeping.remove(LABELS)
            self.size_key(LABEL_COUNT, LABELS, len(labels))
        self.solve()
        self.take_defaults()
        self.compare()
        self.missing()

    def key(self, name: str, value: object) -> None:
        upstream = self.upstream
        key = upstream.aliases.get(name, name)
        if key in upstream.keys:
            if value is not None:  # null is what files state for a key that is left to the library
                self.present.setdefault(key, name)
                self.size_key(key, name, value)
        elif (first := key.partition(".")[0]) in upstream.settings:
            self.present.setdefault(key, name)
            self.setting(name, first, part(upstream.settings[first], key.split(".")[1:]), value)
        elif key in upstream.ignored:
            self.ignored[name] = upstream.ignored[key]
        elif name in BOOKKEEPING:
            self.bookkeeping.append(name)
        else:
            self.unknown.append(name)

    def size_key(self, key: str, name: str, value: object, *, by_default: bool = False) -> None:
        """Take down what a key states, or its default, as equations."""
        stated = self.upstream.keys[key]
        pairs: list[tuple[Size, int, int | None]]
        if isinstance(stated, tuple):
            values = whole_numbers(value)
            if values is None or len(values) != len(stated):
                self.misfit(key, name, value, f"a list of {len(stated)} whole numbers")
                return
            pairs = [(size(one), number, None) for one, number in zip(stated, values, strict=True)]
        elif size(stated).symbols & self.varying:
            values = whole_numbers(value)
            if not values:
                self.misfit(key, name, value, "a list of whole numbers")
                return
            pairs = [(size(stated), number, layer) for layer, number in enumerate(values)]
        else:
            number = whole_number(value)
            if number is None:
                self.misfit(key, name, value, "a whole number")
                return
            pairs = [(size(stated), number, None)]
        for expression, number, layer in pairs:
            if not 1 <= number <= LARGEST:
                self.refused.add(key)
                self.problem(name, "A621", f"{name} is at least 1 and at most {LARGEST:,}, not {number:,}")
                return
            self.equations.append(_Equation(name, expression, number, layer, by_default))

    def misfit(self, key: str, name: str, value: object, wanted: str) -> None:
        self.refused.add(key)
        self.problem(name, "A621", f"{name} is {shown(value)}, where {wanted} is expected")

    def setting(self, name: str, key: str, documented: object, value: object) -> None:
        if same(documented, value):
            self.confirmed.append(name)
            return
        about = self.upstream.concerns.get(key)
        concerns = f"; it concerns {about}" if about is not None else ""
        message = f"{name} is {shown(value)}, but the documented model has {shown(documented)}{concerns}"
        self.problem(name, "A620", message, "this is another model, so no figures are given for it")

    def take_defaults(self) -> None:
        """Take the library's values for keys that are left out, those first that follow from what is known."""
        left = {key: default for key, default in self.upstream.defaults.items() if key not in self.present}
        while ready := [key for key, default in left.items() if _symbols(default) <= self.numbers.keys()]:
            for key in ready:
                self.default(key, left.pop(key))

    def default(self, key: str, default: str | int | tuple[str | int, ...]) -> None:
        """Take the library's value for a key that is left out."""
        expressions = [size(one) for one in (default if isinstance(default, tuple) else (default,))]
        try:
            values = [one.value(self.numbers) for one in expressions]
        except SizeError as error:
            self.problem("", "A623", f"{key} is left out, and its default has no value: {error}")
            return
        self.defaults.append(key)
        self.size_key(key, key, values if isinstance(default, tuple) else values[0], by_default=True)
        self.solve()

    def solve(self) -> None:
        """Find the symbols that follow, until nothing new does."""
        found = True
        while found:
            found = False
            for one in self.equations:
                found = self.solved(one) or found

    def solved(self, one: _Equation) -> bool:
        """Whether the equation told a symbol that was not known."""
        name = self.one_unknown(one)
        if name is None:
            return False
        try:
            value = solve(one.expression, name, one.value, self.known(one.layer))
        except SizeError:
            return False  # it is compared, or its symbol missed, at the end
        if name in self.varying and one.layer is not None:
            self.lists.setdefault(name, {})[one.layer] = value
        else:
            self.numbers[name] = value
        self.stated_by.setdefault(name, one.source)
        return True

    def known(self, layer: int | None) -> dict[str, int]:
        """The symbols that are known, in one layer where that matters."""
        here = {} if layer is None else {name: one[layer] for name, one in self.lists.items() if layer in one}
        return self.numbers | here

    def compare(self) -> None:
        """Every key must agree with what the others say."""
        for one in self.equations:
            known = self.known(one.layer)
            if not one.expression.symbols <= known.keys():
                continue
            where = "" if one.layer is None else f" in layer {one.layer}"
            because = self.because(one.expression.symbols, one.layer)
            try:
                value = one.expression.value(known)
            except SizeError:
                found = f"{one.source} is {one.value:,}{where}, but {one.expression} is no whole number"
                self.problem(one.key, "A622", f"{found} with {because}")
                continue
            if value != one.value and str(one.expression) in known:
                by = f"{one.expression} is {value:,} by {self.stated_by[str(one.expression)]}"
                self.problem(one.key, "A622", f"{one.source} is {one.value:,}{where}, but {by}")
            elif value != one.value:
                found = f"{one.source} is {one.value:,}{where}, but {one.expression} is {value:,}"
                self.problem(one.key, "A622", f"{found} with {because}")

    def because(self, symbols: frozenset[str], layer: int | None) -> str:
        """The values of symbols with the keys that state them: `d = 768 (n_embd)`."""
        known = self.known(layer)
        parts = [f"{name} = {known[name]:,} ({self.stated_by[name]})" for name in sorted(symbols) if name in known]
        return " and ".join(parts)

    def missing(self) -> None:
        """Every size that a variant binds must be known; a size that is not is told by its key."""
        for name in self.needed:
            keys = [key for key, stated in self.upstream.keys.items() if name in _symbols(stated)]
            if name in self.numbers or name in self.lists or not self.refused.isdisjoint(keys):
                continue
            stuck = next((one for one in self.equations if self.one_unknown(one) == name), None)
            left_out = [key for key in keys if key not in self.present and key not in self.defaults]
            if stuck is not None:
                message = f"{stuck.source} is {stuck.value:,}, but no whole number {name} makes {stuck.expression} that"
                self.problem(stuck.key, "A622", message)
            elif any(key in self.upstream.defaults for key in left_out):
                continue  # its default follows from another size that is not known
            elif left_out:
                message = f"{left_out[0]} is left out, and the atlas states no default for it"
                hint = f"add it: it gives the size {name}, {self.model.dimensions.get(name, '')}".rstrip(", ")
                self.problem("", "A623", message, hint)
            else:
                told = f"; {listed(keys)} do not tell it alone" if keys else ""
                self.problem("", "A623", f"no key of a configuration gives the size {name}{told}")
        unknown_sizes = [name for name in self.needed if name not in self.numbers and name not in self.lists]
        if unknown_sizes and not self.problems:
            message = f"the defaults of the keys that are left out follow from each other, so {listed(unknown_sizes)}"
            self.problem("", "A623", f"{message} cannot be found")

    def one_unknown(self, one: _Equation) -> str | None:
        """The one symbol of an equation that is not known."""
        return unknown_symbol(one.expression, self.known(one.layer))

    def configuration(self) -> Configuration:
        lists = {name: tuple(layers[layer] for layer in sorted(layers)) for name, layers in self.lists.items()}
        return Configuration(
            {**self.numbers, **lists},
            self.stated_by,
            tuple(self.defaults),
            tuple(self.confirmed),
            tuple(key for key in self.upstream.settings if not self.states(key)),
            self.ignored,
            tuple(self.bookkeeping),
            tuple(self.unknown),
            tuple(self.other_classes),
            tuple(self.problems),
        )

    def states(self, setting: str) -> bool:
        """Whether a setting, or a part of it, is stated."""
        return any(key.partition(".")[0] == setting for key in self.present)


def _symbols(stated: str | int | tuple[str | int, ...]) -> frozenset[str]:
    several = stated if isinstance(stated, tuple) else (stated,)
    return frozenset(name for one in several for name in size(one).symbols)
