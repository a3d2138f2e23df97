"""A model's file and its entries → its graph, with every reading that leads nowhere and every value that is lost.

Names are looked up as in a program: in the block, then in the blocks around it, then among the model's inputs; a value
of another block has that block's name and a dot before it. What is read must have been produced before, so there is no
cycle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model, Stack, Use
from atlas.entries.component import Symbol, entering
from atlas.entries.tree import KeyPath
from atlas.graph.structure import Block, Carry, Graph, Node, Port, Value
from atlas.issues import Issue
from atlas.operators.catalogue import CATALOGUE
from atlas.sizes import Size, size


def build(collection: Collection) -> tuple[Graph, list[Issue]]:
    """The graph of a model, as far as it holds, and what is wrong with it.

    Raises:
        TypeError: the collection is a library.
    """
    if not isinstance(collection.data, Model):
        raise TypeError(f"{collection.id} is a library; only a model has a graph")
    builder = _Builder(collection, collection.data)
    graph = builder.graph()
    return graph, builder.issues


def spelled(name: str) -> str:
    r"""A value's name in one spelling: no braces around one character, no space but after a command."""
    tight = re.sub(r"(?<!\\)(?<![a-zA-Z])\s+|\s+(?![a-zA-Z])", "", name)
    return re.sub(r"([_^])\{([A-Za-z0-9])\}", r"\1\2", tight)


@dataclass(slots=True)
class _Scope:
    """What can be read by name within one block so far."""

    block: str
    outer: _Scope | None
    values: dict[str, str] = field(default_factory=dict)
    """The block's own values, by name."""
    blocks: dict[str, _Scope] = field(default_factory=dict)
    """The blocks within it that are complete, by name."""

    def find(self, name: str) -> str | None:
        """The id of a value, looked up from here outwards."""
        *path, last = name.split(".")
        scope: _Scope | None = self
        while scope is not None:
            inner: _Scope | None = scope
            for part in path:
                inner = inner.blocks.get(part) if inner is not None else None
            if inner is not None and last in inner.values:
                return inner.values[last]
            scope = scope.outer
        return None

    def names(self) -> Iterator[str]:
        """Everything that can be read from here."""
        scope: _Scope | None = self
        while scope is not None:
            yield from scope._inside("")
            scope = scope.outer

    def _inside(self, prefix: str) -> Iterator[str]:
        yield from (prefix + name for name in self.values)
        for name, scope in self.blocks.items():
            yield from scope._inside(f"{prefix}{name}.")


class _Builder:
    def __init__(self, collection: Collection, model: Model) -> None:
        self.collection = collection
        self.model = model
        self.issues: list[Issue] = []
        self.values: dict[str, Value] = {}
        self.places: dict[str, tuple[Collection | Entry, KeyPath]] = {}
        """Where each value is stated, for issues."""
        self.read: set[str] = set()
        self.entries = {entry.id.removeprefix(f"{collection.id}/"): entry for entry in collection.entries}
        self.later: dict[str, str] = {}
        """Names of values that some component gives, with the component, whether it is before or after."""

    def graph(self) -> Graph:
        root = _Scope("", None)
        for name, declared in self.model.inputs.items():
            ids = size(declared.ids) if declared.ids is not None else None
            axes = tuple(size(axis) for axis in declared.axes)
            root.values[spelled(name)] = spelled(name)
            self.values[spelled(name)] = Value(spelled(name), name, "", axes, ids, "")
            self.places[spelled(name)] = (self.collection, ("inputs", name))
        for entry in self.collection.entries:
            self.later.update({spelled(name): entry.id for name in entry.data.out})
        blocks = tuple(self.block(name, stack, root, ("stacks", name)) for name, stack in self.model.stacks.items())
        outputs: dict[str, str] = {}
        for name, meaning in self.model.outputs.items():
            if (found := self.look_up(name, root, self.collection, ("outputs", name))) is not None:
                outputs[found] = meaning
        self.tie(blocks)
        if self.model.complete and self.collection.whole and not self.issues:
            self.unread()
        inputs = tuple(spelled(name) for name in self.model.inputs)
        return Graph(self.collection.id, blocks, self.values, inputs, outputs)

    def block(self, path: str, stack: Stack, outer: _Scope, where: KeyPath) -> Block:
        scope = _Scope(path, outer)
        first: dict[str, str] = {}
        for name in stack.carries:
            first[name] = self.first(name, stack, outer, where)
            inherited = self.values.get(first[name])
            # The axes of what is carried are those that the components in the layer state; build_axes fills them in.
            self.declare(scope, name, (), inherited.ids if inherited is not None else None, "", where)
        children: list[Node | Block] = []
        names: set[str] = set()
        for index, component in enumerate(stack.components):
            at = (*where, "components", index)
            name = component if isinstance(component, str) else component.name
            if name in names:
                message, hint = f"{name} is there twice in {path}", "give one of them another name: `as: …`"
                self.issues.append(self.collection.issue(at, "A609", message, hint))
                continue
            names.add(name)
            if name in stack.stacks and isinstance(component, str):
                children.append(self.block(f"{path}/{name}", stack.stacks[name], scope, (*where, "stacks", name)))
            elif (node := self.node(path, component, scope, at)) is not None:
                children.append(node)
        for name in stack.stacks:
            if name not in names:
                message = f"the stack {name} is not among the components of {path}"
                hint = "name it there, in the order of the data flow"
                self.issues.append(self.collection.issue_at_key((*where, "stacks", name), "A609", message, hint))
        carries = tuple(self.carry(name, handed, first[name], scope, where) for name, handed in stack.carries.items())
        outer.blocks[path.rpartition("/")[2]] = scope
        return Block(path, stack, tuple(children), tuple(one for one in carries if one is not None))

    def first(self, name: str, stack: Stack, outer: _Scope, where: KeyPath) -> str:
        """The id of what the first layer takes as a value that is carried; empty where that is not known."""
        if name in stack.takes:
            return self.look_up(stack.takes[name], outer, self.collection, (*where, "takes", name)) or ""
        if self.model.complete:
            message = f"nothing says where the first layer takes {name} from"
            hint = f"add `takes: {{'{name}': …}}` to the stack"
            self.issues.append(self.collection.issue_at_key((*where, "carries", name), "A601", message, hint))
        return ""

    def carry(self, name: str, handed: str, first: str, scope: _Scope, where: KeyPath) -> Carry | None:
        found = self.look_up(handed, scope, self.collection, (*where, "carries", name))
        taken = scope.values[spelled(name)]
        return Carry(taken, first, found) if found is not None else None

    def node(self, path: str, component: str | Use, scope: _Scope, at: KeyPath) -> Node | None:
        use = component if isinstance(component, Use) else None
        of = use.use if use is not None else f"{path}/{component}"
        entry = self.entries.get(of)
        if entry is None:
            if use is not None and self.collection.whole:
                near = get_close_matches(of, list(self.entries), n=1)
                hint = f"did you mean `{near[0]}`?" if near else "name a component of this model"
                message = f"the model has no component {of}"
                self.issues.append(self.collection.issue((*at, "use"), "A609", message, hint))
            return None
        name = use.name if use is not None else entry.name
        node_id = f"{path}/{name}"
        owner: Collection | Entry = entry
        ins, outs = entry.data.takes, entry.data.out
        where: KeyPath = ()
        if use is not None:
            owner, where = self.collection, at
            ins, outs = entering(use.in_) or ins, use.out or outs
        sizes = {symbol: size(axis) for symbol, axis in use.with_.items()} if use is not None else {}
        takes = tuple(self.taken(entry, value, symbol, scope, owner, where) for value, symbol in ins)
        gives = tuple(
            self.given(entry, value, symbol, scope, owner, where, node_id, sizes) for value, symbol in outs.items()
        )
        self.ports_are_whole(entry, owner, where, dict(ins), ins, outs)
        tensors = {
            symbol: declared.tensor for symbol, declared in entry.data.symbols.items() if declared.tensor is not None
        }
        tied = {symbol: declared.tied for symbol, declared in entry.data.symbols.items() if declared.tied is not None}
        if use is not None:
            tensors, tied = tensors | dict(use.tensors), tied | dict(use.tied)
            self.symbols_exist(entry, use, at)
        return Node(
            node_id,
            name,
            entry,
            path,
            at,
            sizes,
            tuple(port for port in takes if port is not None),
            tuple(port for port in gives if port is not None),
            tensors,
            {symbol: _parted(text) for symbol, text in tied.items()},
        )

    def taken(
        self, entry: Entry, value: str, symbol: str, scope: _Scope, owner: Collection | Entry, where: KeyPath
    ) -> Port | None:
        declared = entry.data.symbols.get(symbol)
        if declared is None:
            return None  # reported with the symbols
        arguments = [argument.name for argument in CATALOGUE[entry.data.operator].contract.inputs]
        if declared.binds not in arguments or declared.parameter is not None:
            message = f"{symbol} is no argument of {entry.data.operator}, so no value can enter as it"
            self.issues.append(owner.issue((*where, "in", value), "A607", message))
            return None
        found = self.look_up(value, scope, owner, (*where, "in", value), entry)
        return Port(symbol, declared.binds or "", found) if found is not None else None

    def given(
        self,
        entry: Entry,
        value: str,
        symbol: str,
        scope: _Scope,
        owner: Collection | Entry,
        where: KeyPath,
        node_id: str,
        sizes: Mapping[str, Size],
    ) -> Port | None:
        declared = entry.data.symbols.get(symbol)
        if declared is None:
            return None
        results = [output.name for output in CATALOGUE[entry.data.operator].contract.outputs]
        if declared.binds not in results:
            message = f"{symbol} is no result of {entry.data.operator}, so it cannot leave as a value"
            self.issues.append(owner.issue((*where, "out", value), "A607", message))
            return None
        before = scope.values.get(spelled(value))
        if before is not None:
            by = self.values[before].source or f"the layer before, in {scope.block}"
            message = f"{value} is produced already, by {by}"
            hint = "give one of the two values another name"
            self.issues.append(owner.issue_at_key((*where, "out", value), "A602", message, hint))
            return None
        axes = tuple(size(axis).substitute(sizes) for axis in declared.axes)
        ids = size(declared.ids).substitute(sizes) if declared.ids is not None else None
        found = self.declare(scope, value, axes, ids, node_id, where)
        self.places[found] = (owner, (*where, "out", value))
        return Port(symbol, declared.binds or "", found)

    def declare(
        self, scope: _Scope, name: str, axes: tuple[Size, ...], ids: Size | None, source: str, where: KeyPath
    ) -> str:
        value_id = f"{scope.block}.{spelled(name)}"
        scope.values[spelled(name)] = value_id
        self.values[value_id] = Value(value_id, name, scope.block, axes, ids, source)
        self.places.setdefault(value_id, (self.collection, (*where, "carries", name)))
        return value_id

    def look_up(
        self, name: str, scope: _Scope, owner: Collection | Entry, at: KeyPath, entry: Entry | None = None
    ) -> str | None:
        found = scope.find(".".join(map(spelled, name.split("."))))
        if found is not None:
            self.read.add(found)
            return found
        if not self.model.complete or not self.collection.whole:
            return None
        known = list(dict.fromkeys(scope.names()))
        last = spelled(name.rpartition(".")[2])
        issue = owner.issue_at_key if at[-1:] == (name,) and at[-2:-1] != ("takes",) else owner.issue
        if last in self.later and last not in {one.rpartition(".")[2] for one in known}:
            by = self.later[last]
            message = f"{name} is read before {by} produces it"
            self.issues.append(issue(at, "A603", message, "put the components in the order of the data flow"))
            return None
        elsewhere = [one for one in known if one.rpartition(".")[2] == last and one != name]
        near = elsewhere or get_close_matches(spelled(name), known, n=1, cutoff=0.4)
        hint = f"did you mean `{near[0]}`?" if near else f"there is {', '.join(known[:8]) or 'nothing yet'}"
        self.issues.append(issue(at, "A601", f"nothing produces {name}", hint))
        return None

    def ports_are_whole(
        self,
        entry: Entry,
        owner: Collection | Entry,
        where: KeyPath,
        ins: Mapping[str, str],
        pairs: tuple[tuple[str, str], ...],
        outs: Mapping[str, str],
    ) -> None:
        """Every argument that is no parameter gets a value, and every result leaves as one."""
        if not self.model.complete:
            return
        operator = CATALOGUE[entry.data.operator]
        entering_symbols, leaving = [symbol for _, symbol in pairs], set(outs.values())
        results = {output.name for output in operator.contract.outputs}
        inputs = {argument.name for argument in operator.contract.inputs}
        for name, declared in entry.data.symbols.items():
            stored = declared.parameter is not None or declared.buffer is not None
            if declared.binds in inputs and not stored and name not in entering_symbols:
                message = f"no value enters {entry.id} as {name}"
                self.issues.append(owner.issue_at_key((*where, "in"), "A607", message, f"add `…: '{name}'` to `in`"))
            if declared.binds in results and not leaving:
                message = f"nothing leaves {entry.id}"
                self.issues.append(owner.issue_at_key((*where, "out"), "A607", message, f"add `…: '{name}'` to `out`"))
        for name in entering_symbols:
            if entering_symbols.count(name) > 1:
                message = f"two values enter {entry.id} as {name}"
                self.issues.append(owner.issue_at_key((*where, "in"), "A607", message))
                break

    def symbols_exist(self, entry: Entry, use: Use, at: KeyPath) -> None:
        """What a use says about symbols and sizes is about those of the component."""
        sizes = {
            name for declared in entry.data.symbols.values() for axis in declared.axes for name in size(axis).symbols
        }
        stored = [name for name, declared in entry.data.symbols.items() if declared.tensor or declared.parameter]
        for key, names, known in (
            ("with", use.with_, sorted(sizes)),
            ("tensors", use.tensors, stored),
            ("tied", use.tied, stored),
        ):
            for name in names:
                if name not in known:
                    near = get_close_matches(name, known, n=1)
                    hint = f"did you mean `{near[0]}`?" if near else ""
                    message = f"{entry.id} has no {'size' if key == 'with' else 'parameter'} {name}"
                    self.issues.append(self.collection.issue_at_key((*at, key, name), "A609", message, hint))
        for _, symbol in (*entering(use.in_), *use.out.items()):
            if symbol not in entry.data.symbols:
                message = f"`{symbol}` is not among the symbols of {entry.id}"
                self.issues.append(self.collection.issue(at, "A609", message))

    def tie(self, blocks: tuple[Block, ...]) -> None:
        """Every parameter that is the same as another names one that is there, is no tie itself, and is as large."""
        nodes = {node.id: node for block in blocks for node in block.nodes}
        for node in nodes.values():
            for symbol, (other_id, other_symbol) in node.tied.items():
                other = nodes.get(other_id)
                target = other.entry.data.symbols.get(other_symbol) if other is not None else None
                own = node.entry.data.symbols[symbol]
                at = ("symbols", symbol, "tied")
                if other is None or target is None or target.parameter is None:
                    known = [f"{one.id}.{name}" for one in nodes.values() for name in _learned(one.entry)]
                    near = get_close_matches(f"{other_id}.{other_symbol}", known, n=1)
                    hint = f"did you mean `{near[0]}`?" if near else "name a component and its parameter"
                    message = f"no component has the parameter {other_id}.{other_symbol}"
                    self.issues.append(node.entry.issue(at, "A610", message, hint))
                elif any(self.model.stack(path).layers is not None for path in _around(other.block)):
                    message = (
                        f"{other_id} is in a stack with layers, so which layer's {other_symbol} is meant is not said"
                    )
                    self.issues.append(node.entry.issue(at, "A610", message))
                elif other_symbol in other.tied:
                    message = f"{other_id}.{other_symbol} is tied itself; name the one that both are"
                    self.issues.append(node.entry.issue(at, "A610", message))
                elif _axes(own, node) != _axes(target, other):
                    ours, theirs = (", ".join(map(str, axes)) for axes in (_axes(own, node), _axes(target, other)))
                    message = f"{symbol} has the axes [{ours}], but {other_id}.{other_symbol} has [{theirs}]"
                    self.issues.append(node.entry.issue(at, "A610", message))

    def unread(self) -> None:
        """A value that nothing reads would be computed for nothing, or is misspelt where it is meant to be read."""
        for value_id, value in self.values.items():
            if value_id in self.read:
                continue
            owner, at = self.places[value_id]
            message = f"nothing reads {value.name}"
            if value.source:
                message += f", which {value.source} gives"
            hint = "read it, name it among the model's `outputs`, or remove it"
            self.issues.append(owner.issue_at_key(at, "A605", message, hint))


def _around(block: str) -> list[str]:
    """The paths of a block and of those around it."""
    parts = block.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _learned(entry: Entry) -> list[str]:
    return [name for name, symbol in entry.data.symbols.items() if symbol.parameter is not None]


def _parted(text: str) -> tuple[str, str]:
    """A tied parameter's node and symbol."""
    node, _, symbol = text.partition(".")
    return node, symbol


def _axes(symbol: Symbol, node: Node) -> tuple[Size, ...]:
    return tuple(size(axis).substitute(node.sizes) for axis in symbol.axes)
