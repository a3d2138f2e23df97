"""A model's file and its entries → its graph, with every reading that leads nowhere and every value that is lost.

Names are looked up as in a program: in the block, then in the blocks around it, then among the model's inputs; a value
of another block has that block's name and a dot before it. What is read must have been produced before, so there is no
cycle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model, Stack, Use
from atlas.entries.component import entering
from atlas.entries.tree import KeyPath
from atlas.exceptions import SizeError
from atlas.graph.carried import check_carries
from atlas.graph.going import may_enter, names_that, near_or_all
from atlas.graph.lost import lost_stacks, lost_values
from atlas.graph.scope import MAX_COMPARED, MAX_HINTS, Scope, around, nearest, parted
from atlas.graph.structure import Block, Carry, Graph, Node, Port, Value
from atlas.graph.ties import check_ties
from atlas.graph.unfound import Unfound, blocks_of, tell
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


# Cached, as each value is named where it is made and wherever it is read.
@lru_cache(maxsize=4096)
def spelled(name: str) -> str:
    r"""A value's name in one spelling: no braces around one character, one space after a command and no other."""
    tight = re.sub(r"(?<!\\)(?<![a-zA-Z])\s+|\s+(?![a-zA-Z\s])", "", name)
    tight = re.sub(r"(?<!\\)\s+", " ", tight)
    return re.sub(r"([_^])\{([A-Za-z0-9])\}", r"\1\2", tight)


class _Builder:
    def __init__(self, collection: Collection, model: Model) -> None:
        self.collection = collection
        self.model = model
        self.issues: list[Issue] = []
        self.values: dict[str, Value] = {}
        self.places: dict[str, tuple[Collection | Entry, KeyPath]] = {}
        """Where each value is stated, for issues."""
        self.read: set[str] = set()
        self.left: set[str] = set()
        """Blocks of which something outside reads a value."""
        self.unfound: list[Unfound] = []
        self.sought = 0
        """How many names that lead nowhere were compared with others."""
        self.entries = {entry.id.removeprefix(f"{collection.id}/"): entry for entry in collection.entries}
        self.later: dict[str, str] = {}
        """Names of values that some component gives, with the component, whether it is before or after."""
        self.made: set[str] = set()
        """Names of values that there are so far."""
        self.lost = False
        """Whether some component gives nothing, though what it should give may be read under any name."""

    def graph(self) -> Graph:
        root = Scope("", None)
        for name, declared in self.model.inputs.items():
            ids = size(declared.ids) if declared.ids is not None else None
            axes = tuple(size(axis) for axis in declared.axes)
            if self.is_new(root, name, self.collection, ("inputs", name)):
                self.declare(root, name, axes, ids, "", ("inputs", name))
        for entry in self.collection.entries:
            self.later.update({spelled(name): entry.id for name in entry.data.out})
        for path, stack in self.model.paths.items():
            for use in (one for one in stack.components if isinstance(one, Use)):
                self.later.update({spelled(name): f"{path}/{use.name}" for name in use.out})
        blocks = tuple(self.block(name, stack, root, ("stacks", name)) for name, stack in self.model.stacks.items())
        outputs: dict[str, str] = {}
        for name, meaning in self.model.outputs.items():
            if (found := self.look_up(name, root, self.collection, ("outputs", name))) is not None:
                outputs[found] = meaning
        self.issues += tell(self.unfound, self.collection, self.values, self.places, self.read, spelled)
        self.issues += check_ties(self.collection, self.model, blocks)
        if self.model.complete and self.collection.whole and not self.issues:
            self.issues += lost_values(self.values, self.places, self.read)
            self.issues += lost_stacks(self.collection, blocks, self.left)
        inputs = tuple(root.values.values())
        return Graph(self.collection.id, blocks, self.values, inputs, outputs)

    def block(self, path: str, stack: Stack, outer: Scope, where: KeyPath) -> Block:
        scope = Scope(path, outer)
        first: dict[str, str] = {}
        for name in stack.carries:
            first[name] = self.first(name, stack, outer, where)
            inherited = self.values.get(first[name])
            at = (*where, "carries", name)
            if self.is_new(scope, name, self.collection, at):
                # The axes of what is carried are those that the components in the layer state; filled in later.
                self.declare(scope, name, (), inherited.ids if inherited is not None else None, "", at)
        children: list[Node | Block] = []
        plain = {name for name in stack.components if isinstance(name, str)}
        used = {one.name for one in stack.components if isinstance(one, Use)}
        names: set[str] = set()
        for index, component in enumerate(stack.components):
            at = (*where, "components", index)
            name = component if isinstance(component, str) else component.name
            if name in names:
                if not isinstance(component, str) or name in stack.stacks or name in used:  # else reported with lists
                    message, hint = f"{name} is there twice in {path}", "give one of them another name: `as: …`"
                    self.issues.append(self.collection.issue(at, "A609", message, hint))
                if isinstance(component, str) or not component.out:
                    continue
            names.add(name)
            if name in stack.stacks and isinstance(component, str):
                children.append(self.block(f"{path}/{name}", stack.stacks[name], scope, (*where, "stacks", name)))
            elif (node := self.node(path, component, scope, at)) is not None:
                children.append(node)
        for name in [name for name in stack.stacks if name not in plain]:
            message = f"the stack {name} is not among the components of {path}"
            hint = "name it there, in the order of the data flow"
            self.issues.append(self.collection.issue_at_key((*where, "stacks", name), "A609", message, hint))
        carries = tuple(self.carry(name, handed, first[name], scope, where) for name, handed in stack.carries.items())
        outer.blocks[path.rpartition("/")[2]] = scope
        block = Block(path, stack, tuple(children), tuple(one for one in carries if one is not None))
        self.issues += check_carries(self.collection, block, self.values, self.places, where)
        return block

    def first(self, name: str, stack: Stack, outer: Scope, where: KeyPath) -> str:
        """The id of what the first layer takes as a value that is carried; empty where that is not known."""
        if name in stack.takes:
            return self.look_up(stack.takes[name], outer, self.collection, (*where, "takes", name)) or ""
        if self.model.complete:
            message = f"nothing says where the first layer takes {name} from"
            hint = f"add `takes: {{'{name}': …}}` to the stack"
            self.issues.append(self.collection.issue_at_key((*where, "carries", name), "A601", message, hint))
        return ""

    def carry(self, name: str, handed: str, first: str, scope: Scope, where: KeyPath) -> Carry | None:
        found = self.look_up(handed, scope, self.collection, (*where, "carries", name))
        if found is None:
            return None
        if scope.block not in around(self.values[found].block):
            message = f"{handed} is not made in {scope.block}, so its layers cannot hand it on"
            hint = "hand on a value that a component in the layer gives"
            issue = self.collection.issue((*where, "carries", name), "A601", message, hint)
            self.unfound.append(Unfound(spelled(handed), (scope.block,), len(self.values), issue, made_elsewhere=True))
            return None
        return Carry(scope.values[spelled(name)], first, found)

    def node(self, path: str, component: str | Use, scope: Scope, at: KeyPath) -> Node | None:
        use = component if isinstance(component, Use) else None
        of = use.use if use is not None else f"{path}/{component}"
        entry = self.entries.get(of)
        if entry is None:
            if use is not None and self.collection.whole:
                self.missing(use, of, scope, at)
            return None
        name = use.name if use is not None else entry.name
        node_id = f"{path}/{name}"
        owner: Collection | Entry = entry
        ins, outs = entry.data.takes, entry.data.out
        where: KeyPath = ()
        if use is not None:
            owner, where = self.collection, at
            ins, outs = entering(use.in_) or ins, use.out or outs
        sizes = self.sizes_of(entry, use, node_id, at) if use is not None else {}
        takes = tuple(self.taken(entry, value, symbol, scope, owner, where) for value, symbol in ins)
        gives = tuple(
            self.given(entry, value, symbol, scope, owner, where, node_id, sizes) for value, symbol in outs.items()
        )
        if all(may_enter(entry, symbol) for _, symbol in ins):  # else that is what is wrong
            self.ports_are_whole(entry, owner, where, [symbol for _, symbol in ins], outs)
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
            use.title if use is not None and use.title is not None else entry.data.title,
            entry,
            path,
            at,
            sizes,
            tuple(port for port in takes if port is not None),
            tuple(port for port in gives if port is not None),
            tensors,
            {symbol: _parted(text) for symbol, text in tied.items()},
        )

    def sizes_of(self, entry: Entry, use: Use, node_id: str, at: KeyPath) -> dict[str, Size]:
        """What a use says of the component's sizes; none of it where an axis would be no size any more."""
        sizes = {symbol: size(axis) for symbol, axis in use.with_.items()}
        for declared in entry.data.symbols.values():
            for axis in (*declared.axes, *([] if declared.ids is None else [declared.ids])):
                try:
                    size(axis).substitute(sizes)
                except SizeError as error:
                    message = f"{node_id}: the axis {axis} is no size with these: {error}"
                    self.issues.append(self.collection.issue_at_key((*at, "with"), "A604", message))
                    return {}
        return sizes

    def missing(self, use: Use, of: str, scope: Scope, at: KeyPath) -> None:
        """A use of a component that is not there; what it would give is, so that its readers are not wrong too."""
        near = get_close_matches(of, islice(self.entries, MAX_COMPARED), n=1) if self.sought < MAX_HINTS else []
        self.sought += 1
        hint = f"did you mean `{near[0]}`?" if near else "name a component of this model"
        self.issues.append(self.collection.issue((*at, "use"), "A609", f"the model has no component {of}", hint))
        outs = use.out or (self.entries[near[0]].data.out if near else {})
        self.lost = self.lost or not outs
        for name in outs:
            if spelled(name) not in scope.values:
                self.declare(scope, name, (), None, f"{scope.block}/{use.name}", (*at, "out", name))

    def taken(
        self, entry: Entry, value: str, symbol: str, scope: Scope, owner: Collection | Entry, where: KeyPath
    ) -> Port | None:
        declared = entry.data.symbols.get(symbol)
        if declared is None:
            return None  # reported with the symbols
        if not may_enter(entry, symbol):
            stored = declared.parameter is not None or declared.buffer is not None
            what = "stored with the model" if stored else f"no argument of {entry.data.operator}"
            message = f"{symbol} is {what}, so no value can enter as it"
            self.issues.append(owner.issue((*where, "in", value), "A607", message, names_that(entry, "enter")))
            return None
        found = self.look_up(value, scope, owner, (*where, "in", value))
        return Port(symbol, declared.binds or "", found) if found is not None else None

    def given(
        self,
        entry: Entry,
        value: str,
        symbol: str,
        scope: Scope,
        owner: Collection | Entry,
        where: KeyPath,
        node_id: str,
        sizes: Mapping[str, Size],
    ) -> Port | None:
        if not self.is_new(scope, value, owner, (*where, "out", value)):
            return None
        declared = entry.data.symbols.get(symbol)
        axes = tuple(size(axis).substitute(sizes) for axis in declared.axes) if declared is not None else ()
        ids = size(declared.ids).substitute(sizes) if declared is not None and declared.ids is not None else None
        found = self.declare(scope, value, axes, ids, node_id, (*where, "out", value), owner)
        results = [output.name for output in CATALOGUE[entry.data.operator].contract.outputs]
        if declared is not None and declared.binds in results:
            return Port(symbol, declared.binds or "", found)
        if declared is not None:  # else reported with the symbols
            message = f"{symbol} is no result of {entry.data.operator}, so it cannot leave as a value"
            self.issues.append(owner.issue((*where, "out", value), "A607", message, names_that(entry, "leave")))
        return None

    def is_new(self, scope: Scope, name: str, owner: Collection | Entry, at: KeyPath) -> bool:
        """Whether nothing has this name in the block, and no other value has the same id."""
        before = scope.values.get(spelled(name)) or _value_id(scope, name)
        if before not in self.values:
            return True
        scope.values.setdefault(spelled(name), before)  # so that its readers are not wrong too
        made = self.values[before]
        by = made.source or (f"the layer before, in {made.block}" if made.block else "the caller of the model")
        message, hint = f"{name} is produced already, by {by}", "give one of the two values another name"
        self.issues.append(owner.issue_at_key(at, "A602", message, hint))
        return False

    def declare(
        self,
        scope: Scope,
        name: str,
        axes: tuple[Size, ...],
        ids: Size | None,
        source: str,
        at: KeyPath,
        owner: Collection | Entry | None = None,
    ) -> str:
        value_id = _value_id(scope, name)
        self.made.add(spelled(name))
        scope.values[spelled(name)] = value_id
        self.values[value_id] = Value(value_id, name, scope.block, axes, ids, source)
        self.places[value_id] = (owner or self.collection, at)
        return value_id

    def look_up(self, name: str, scope: Scope, owner: Collection | Entry, at: KeyPath) -> str | None:
        found = scope.find(spelled(name))
        if found is not None:
            self.read.add(found)
            self.left.update(path for path in around(self.values[found].block) if path not in around(scope.block))
            return found
        if not self.model.complete or not self.collection.whole or self.lost:
            return None
        issue = owner.issue_at_key if at[-1:] == (name,) and at[-2:-1] != ("takes",) else owner.issue
        last = parted(spelled(name))[1]
        if last in self.later and last not in self.made:
            message = f"{name} is read before {self.later[last]} produces it"
            self.issues.append(issue(at, "A603", message, "put the components in the order of the data flow"))
            return None
        hint = ""
        if self.sought < MAX_HINTS:
            self.sought += 1
            near = nearest(spelled(name), scope.names())
            there = ", ".join(dict.fromkeys(islice(scope.names(), 8))) or "nothing yet"
            hint = f"did you mean `{near}`?" if near is not None else f"there is {there}"
        told = issue(at, "A601", f"nothing produces {name}", hint)
        blocks = blocks_of(spelled(name), scope.block) if hint else ()
        self.unfound.append(Unfound(spelled(name), blocks, len(self.values), told))
        return None

    def ports_are_whole(
        self,
        entry: Entry,
        owner: Collection | Entry,
        where: KeyPath,
        entering_symbols: list[str],
        outs: Mapping[str, str],
    ) -> None:
        """Every argument that is no parameter gets a value, and every result leaves as one."""
        if not self.model.complete:
            return
        operator = CATALOGUE[entry.data.operator]
        results = {output.name for output in operator.contract.outputs}
        inputs = {argument.name for argument in operator.contract.inputs}
        for name, declared in entry.data.symbols.items():
            stored = declared.parameter is not None or declared.buffer is not None
            if declared.binds in inputs and not stored and name not in entering_symbols:
                message = f"no value enters {entry.id} as {name}"
                self.issues.append(owner.issue_at_key((*where, "in"), "A607", message, f"add `…: '{name}'` to `in`"))
            if declared.binds in results and not outs:
                self.lost = True
                message = f"nothing leaves {entry.id}"
                self.issues.append(owner.issue_at_key((*where, "out"), "A607", message, f"add `…: '{name}'` to `out`"))
        for name in entering_symbols:
            if entering_symbols.count(name) > 1:
                message = f"two values enter {entry.id} as {name}"
                self.issues.append(owner.issue_at_key((*where, "in"), "A607", message, "remove one of the two"))
                break

    def symbols_exist(self, entry: Entry, use: Use, at: KeyPath) -> None:
        """What a use says about symbols and sizes is about those of the component."""
        axes = [
            axis
            for declared in entry.data.symbols.values()
            for axis in (*declared.axes, *([] if declared.ids is None else [declared.ids]))
        ]
        sizes = {name for axis in axes for name in size(axis).symbols}
        stored = [name for name, declared in entry.data.symbols.items() if declared.parameter or declared.buffer]
        learned = [name for name, declared in entry.data.symbols.items() if declared.parameter]
        for key, names, known in (
            ("with", use.with_, sorted(sizes)),
            ("tensors", use.tensors, stored),
            ("tied", use.tied, learned),
        ):
            for name in names:
                if name not in known:
                    hint = near_or_all(name, known)
                    message = f"{entry.id} has no {'size' if key == 'with' else 'parameter'} {name}"
                    self.issues.append(self.collection.issue_at_key((*at, key, name), "A609", message, hint))
        for key, pairs in (("in", entering(use.in_)), ("out", tuple(use.out.items()))):
            for value, symbol in pairs:
                if symbol not in entry.data.symbols:
                    message = f"`{symbol}` is not among the symbols of {entry.id}"
                    hint = near_or_all(symbol, list(entry.data.symbols))
                    self.issues.append(self.collection.issue((*at, key, value), "A609", message, hint))


def _parted(text: str) -> tuple[str, str]:
    """A tied parameter's node and symbol."""
    node, _, symbol = text.partition(".")
    return node, symbol


def _value_id(scope: Scope, name: str) -> str:
    """A value's name in the whole model: an input has its own name alone."""
    return f"{scope.block}.{spelled(name)}" if scope.block else spelled(name)
