"""The data files of models, of their graphs, and of libraries; every count is one that the checks derived."""

from __future__ import annotations

from collections.abc import Iterator

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Library, Model
from atlas.graph.accounting import ModelAccount
from atlas.graph.choice import one_of_a_batch
from atlas.graph.structure import Block, Graph, Node
from atlas.operators.catalogue import find
from atlas.render.addresses import bibtex_file, collection_page, graph_file, markdown_file, schema_file
from atlas.render.calculator_view import TOKENS
from atlas.render.figures_view import CACHE_BYTES
from atlas.render.json_items import (
    claims,
    collection_item,
    differences,
    entry_item,
    line,
    line_or_none,
    proofs,
    published,
    source_item,
)
from atlas.render.json_model_records import (
    Cache,
    Dimension,
    GraphBlock,
    GraphCarry,
    GraphDocument,
    GraphEdge,
    GraphNode,
    GraphPort,
    GraphValue,
    LibraryDocument,
    ModelDocument,
    ModelValue,
    MultiplyAccumulates,
    ParameterCounts,
    PlaceCount,
    Publication,
    StackCount,
    StackOf,
    VariantOf,
)
from atlas.render.json_types import Expression, plain
from atlas.render.parts import Parts
from atlas.sizes import size


def model_document(checked: CheckedCollection, data: Model, parts: Parts) -> ModelDocument:
    """Everything that is stated and counted of one model."""
    owner, graph = checked.collection, checked.graph
    page, paper = collection_page(owner.id), data.paper
    blocks = {} if graph is None else {one.id: one for outer in graph.blocks for one in outer.blocks}
    return ModelDocument(
        schema_=schema_file("model"),
        id=owner.id,
        title=data.title,
        page=page,
        markdown=markdown_file(page),
        bibtex=bibtex_file(page),
        type=data.kind,
        summary=line(owner, data.summary, parts),
        note=line_or_none(owner, data.note, parts),
        paper=Publication(title=paper.title, authors=paper.authors, year=paper.year, arxiv=paper.arxiv, url=paper.url),
        complete=data.complete,
        dimensions=_dimensions(data),
        inputs=tuple(
            ModelValue(name=name, axes=tuple(str(size(axis)) for axis in one.axes), meaning=one.meaning)
            for name, one in data.inputs.items()
        ),
        outputs=tuple(_outputs(graph)) if graph is not None else (),
        graph=graph_file(owner.id) if graph is not None else None,
        stacks=tuple(
            StackOf(
                path=path,
                title=stack.title,
                layers=None if stack.layers is None else str(size(stack.layers)),
                components=tuple(node.id for node in blocks[path].nodes) if path in blocks else (),
            )
            for path, stack in data.paths.items()
        ),
        components=tuple(entry_item(entry.entry) for entry in checked.entries),
        variants=tuple(_variant(checked, data, name, one, parts) for name, one in checked.accounts.items()),
        differences=differences(owner, data.differences, parts),
        claims=claims(owner, checked.claims, parts),
        proofs=proofs(checked.proofs),
    )


def library_document(checked: CheckedCollection, data: Library, parts: Parts) -> LibraryDocument:
    """Everything that is stated of one library as a whole."""
    owner, page = checked.collection, collection_page(checked.collection.id)
    return LibraryDocument(
        schema_=schema_file("library"),
        id=owner.id,
        title=data.title,
        page=page,
        markdown=markdown_file(page),
        bibtex=bibtex_file(page),
        type=data.kind,
        summary=line(owner, data.summary, parts),
        note=line_or_none(owner, data.note, parts),
        source=source_item(parts.checked.atlas.sources[data.source]),
        dimensions=_dimensions(data),
        components=tuple(entry_item(entry.entry) for entry in checked.entries),
    )


def graph_document(checked: CheckedCollection, graph: Graph) -> GraphDocument:
    """The graph of a model."""
    blocks = list(_blocks(graph.blocks, None))
    return GraphDocument(
        schema_=schema_file("graph"),
        id=checked.collection.id,
        title=checked.collection.data.title,
        page=collection_page(checked.collection.id),
        model=collection_item(checked),
        inputs=graph.inputs,
        outputs=plain(graph.outputs),
        blocks=tuple(_block(block, inside) for block, inside in blocks),
        nodes=tuple(_node(node) for node in graph.nodes),
        values=tuple(
            GraphValue(
                id=one.id,
                name=one.name,
                block=one.block,
                axes=tuple(map(str, one.axes)),
                ids=None if one.ids is None else str(one.ids),
            )
            for one in graph.values.values()
        ),
        edges=tuple(
            GraphEdge(
                value=port.value, source=graph.values[port.value].source or None, target=node.id, symbol=port.symbol
            )
            for node in graph.nodes
            for port in node.takes
        ),
    )


def _dimensions(data: Model | Library) -> tuple[Dimension, ...]:
    return tuple(Dimension(symbol=symbol, meaning=meaning) for symbol, meaning in data.dimensions.items())


def _outputs(graph: Graph) -> Iterator[ModelValue]:
    for name, meaning in graph.outputs.items():
        yield ModelValue(name=name, axes=tuple(map(str, graph.values[name].axes)), meaning=meaning)


def _variant(checked: CheckedCollection, data: Model, name: str, account: ModelAccount, parts: Parts) -> VariantOf:
    variant = data.variants[name]
    at = {
        symbol: length
        for symbol, length in one_of_a_batch(data, variant.sizes, TOKENS).items()
        if symbol in account.macs.symbols
    }
    return VariantOf(
        name=name,
        title=variant.title,
        sizes=plain(variant.sizes),
        parameters=ParameterCounts(
            total=account.total,
            active=account.active,
            embedding=account.embedding,
            non_embedding=account.non_embedding,
            buffers=account.buffers,
        ),
        stacks=tuple(
            StackCount(path=one.name, layers=one.layers, per_layer=one.per_layer, total=one.total)
            for one in account.stacks
        ),
        places=tuple(
            PlaceCount(node=node.id, per_layer=account.nodes.get(node.id, 0), total=account.across.get(node.id, 0))
            for node in (checked.graph.nodes if checked.graph is not None else ())
        ),
        cache=Cache(
            numbers_per_token=account.cache,
            bytes_per_token={title: width * account.cache for title, width in CACHE_BYTES},
            numbers_per_token_of_the_input=account.input_cache,
            numbers_per_token_of_a_window=account.window_cache,
            constant_numbers=account.constant_state,
        ),
        multiply_accumulates=MultiplyAccumulates(
            expression=Expression.of(account.macs), at=at, value=account.macs.value(at)
        ),
        published=published(checked.published.get(name, ())),
        claims=claims(checked.collection, checked.variant_claims.get(name, ()), parts),
    )


def _blocks(blocks: tuple[Block, ...], inside: str | None) -> Iterator[tuple[Block, str | None]]:
    for block in blocks:
        yield block, inside
        yield from _blocks(tuple(one for one in block.children if isinstance(one, Block)), block.id)


def _block(block: Block, inside: str | None) -> GraphBlock:
    layers = block.stack.layers
    return GraphBlock(
        id=block.id,
        title=block.stack.title,
        layers=None if layers is None else str(size(layers)),
        inside=inside,
        children=tuple(one.id for one in block.children),
        carries=tuple(GraphCarry(taken=one.taken, first=one.first, handed=one.handed) for one in block.carries),
    )


def _node(node: Node) -> GraphNode:
    takes, gives = (
        tuple(GraphPort(symbol=one.symbol, argument=one.argument, value=one.value) for one in ports)
        for ports in (node.takes, node.gives)
    )
    return GraphNode(
        id=node.id,
        title=node.title,
        block=node.block,
        component=entry_item(node.entry),
        operator=find(node.entry.data.operator).name,
        sizes={name: str(one) for name, one in node.sizes.items()},
        takes=takes,
        gives=gives,
        tensors=plain(node.tensors),
    )
