"""Synthetic models whose diagrams are laid out in tests; they resemble what an atlas documents and are none of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.checked import Checked
from atlas.checks.run import check_project
from atlas.entries.atlas import Atlas
from atlas.node.environment import prepare
from atlas.node.process import NodeProcess
from atlas.render.build import build_site
from atlas.render.compare_view import compare_share
from atlas.render.deferred import Typesetting
from atlas.render.diagram import EdgeKind, Sketch, SketchEdge, SketchGroup, SketchNode
from atlas.render.glossary_share import glossary_share
from atlas.render.home_share import home_share
from atlas.render.json_conflicts import conflicts_share
from atlas.render.parts import Parts
from atlas.render.shares import Shares
from atlas.render.site import Settings, Site
from atlas.render.uses import Uses, uses_share
from atlas.render.verification_view import verification_share
from atlas.sources.store import SourceStore
from tests.render.beside_pages import text_of

ROOT = Path(__file__).parents[2]
SHAPE = ("B", "S", "d")
TARGET = ("B", "T", "d")
PLANES = ("B", "4c", r"\lfloor H/4\rfloor", r"\lfloor W/4\rfloor")


def component(name: str, title: str, kind: str, parameters: str | None = None) -> SketchNode:
    return SketchNode(name, title, kind, f"model/{name}/", f"about {title}", parameters)


def edge(source: str, target: str, axes: tuple[str, ...], value: str = "", kind: EdgeKind = "flow") -> SketchEdge:
    return SketchEdge(source, target, axes, value, kind)


def encoder_decoder() -> Sketch:
    """Two stacks of which one takes the other's result, with residual paths and values carried from layer to layer."""

    def stack(prefix: str, parts: tuple[tuple[str, str, str | None], ...], first: str) -> list[SketchEdge]:
        axes = SHAPE if prefix == "e" else TARGET
        edges = [edge(first, f"{prefix}0", axes, "x_0"), edge(first, f"{prefix}1", axes, "x_0", "residual")]
        for index, (here, after) in enumerate(pairwise(range(len(parts)))):
            edges.append(edge(f"{prefix}{here}", f"{prefix}{after}", axes, f"v_{{{index}}}"))
        bypasses = [
            edge(f"{prefix}{index}", f"{prefix}{index + 2}", axes, f"v_{{{index}}}", "residual")
            for index in range(2, len(parts) - 2, 3)
        ]
        return [*edges, *bypasses, edge(f"{prefix}{len(parts) - 1}", f"{prefix}0", axes, "x_{n+1}", "carried")]

    def numbered(prefix: str, parts: tuple[tuple[str, str, str | None], ...]) -> tuple[SketchNode, ...]:
        return tuple(component(f"{prefix}{index}", *part) for index, part in enumerate(parts))

    layer = (
        ("Multi-head attention", "attention", "1,048,576"),
        ("Residual sum", "residual", None),
        ("LayerNorm", "normalization", "1,024"),
    )
    feed = (("Feed-forward network", "feed-forward", "2,099,712"), *layer[1:])
    cross = (("Encoder–decoder attention", "attention", "1,048,576"), *layer[1:])
    encoder, decoder = (*layer, *feed), (*layer, *cross, *feed)
    return Sketch(
        "Translator",
        "An encoder and a decoder of six layers each.",
        (
            component("src", "Source tokens", "input"),
            component("embed", "Token embedding", "embedding", "17,258,496"),
            component("tgt", "Target tokens", "input"),
            component("shift", "Shift right", "other"),
            SketchGroup(
                "decoder", "Decoder", "× 6", tuple(component(f"d{i}", *part) for i, part in enumerate(decoder))
            ),
            SketchGroup(
                "encoder", "Encoder", "× 6", tuple(component(f"e{i}", *part) for i, part in enumerate(encoder))
            ),
            component("head", "Logits by the tied table", "projection"),
            component("out", "Logits", "output"),
        ),
        (
            edge("src", "embed", ("B", "S"), r"\text{ids}"),
            edge("tgt", "shift", ("B", "T"), r"\text{ids}"),
            *stack("e", encoder, "embed"),
            *stack("d", decoder, "shift"),
            edge("e5", "d3", SHAPE, "m"),
            edge("d8", "head", TARGET, "y_N"),
            edge("head", "out", ("B", "T", "V"), r"\ell"),
        ),
    )


def nested() -> Sketch:
    """Groups in groups, a shortcut with a projection of its own, and a skip past a whole stage."""

    def block(name: str, times: str) -> SketchGroup:
        parts = (
            component(f"{name}a", "1×1 convolution", "convolution", "4,096"),
            component(f"{name}b", "3×3 convolution", "convolution", "36,864"),
            component(f"{name}c", "Projection shortcut", "convolution", "16,384"),
            component(f"{name}s", "Residual sum", "residual"),
        )
        return SketchGroup(name, "Bottleneck", times, parts)

    def inside(name: str, before: str) -> tuple[SketchEdge, ...]:
        return (
            edge(before, f"{name}a", PLANES, "x"),
            edge(before, f"{name}c", PLANES, "x"),
            edge(f"{name}a", f"{name}b", PLANES),
            edge(f"{name}b", f"{name}s", PLANES),
            edge(f"{name}c", f"{name}s", PLANES, "s"),
        )

    return Sketch(
        "Image classifier",
        "Two stages of bottlenecks.",
        (
            component("img", "Image", "input"),
            component("stem", "7×7 convolution", "convolution", "9,408"),
            SketchGroup("one", "Stage 1", "", (block("p", ""), block("q", "× 2"))),
            SketchGroup("two", "Stage 2", "", (block("r", ""),)),
            component("pool", "Global average pooling", "pooling"),
            component("out", "Logits", "output"),
        ),
        (
            edge("img", "stem", ("B", "3", "H", "W"), "x"),
            *inside("p", "stem"),
            *inside("q", "ps"),
            edge("qs", "qa", PLANES, "x_{n+1}", "carried"),
            *inside("r", "qs"),
            edge("stem", "pool", PLANES, "x", "skip"),
            edge("rs", "pool", PLANES, "z"),
            edge("pool", "out", ("B", "1000"), r"\ell"),
        ),
    )


def single() -> Sketch:
    return Sketch("One", "One component.", (component("only", "Softmax", "activation"),))


def recurrent() -> Sketch:
    """A component that takes its own last state."""
    cell = SketchGroup("layer", "Layer", "× 2", (component("cell", "Recurrent cell", "recurrence", "8,320"),))
    edges = (edge("in", "cell", SHAPE, "x"), edge("cell", "cell", ("B", "d"), "h_t", "carried"))
    return Sketch("Recurrent", "One cell.", (component("in", "Tokens", "input"), cell), edges)


def large(count: int = 200) -> Sketch:
    """A long model in groups of ten with residual paths."""
    names = [f"n{index}" for index in range(count)]
    kinds = ("normalization", "attention", "residual", "feed-forward", "projection")
    nodes = [component(name, f"Component {index}", kinds[index % 5], "1,000") for index, name in enumerate(names)]
    groups = [
        SketchGroup(f"g{start}", f"Stage {start // 10}", "× 2", tuple(nodes[start : start + 10]))
        for start in range(0, count, 10)
    ]
    flows = [edge(here, after, SHAPE, "x") for here, after in pairwise(names)]
    bypasses = [edge(names[index], names[index + 2], SHAPE, "x", "residual") for index in range(0, count - 2, 5)]
    return Sketch("Large", "Many components.", tuple(groups), (*flows, *bypasses))


def odd_titles() -> Sketch:
    """Titles that no table of widths was made for, and one that is markup."""
    titles = (
        "自己注意機構による文脈表現",
        "Нормализация по последней оси признаков",
        "Donaudampfschifffahrtsgesellschaftskapitänsattention",
        '<script>alert("1")</script> & <b>bold</b>',
        "🧠🧠🧠 é, ﬁ and שלום",
        "A title that is much too long for two lines of a card and therefore has to be cut somewhere",
    )
    nodes = tuple(component(f"t{index}", title, "projection", "12") for index, title in enumerate(titles))
    edges = tuple(edge(here.id, after.id, SHAPE, r"\hat{y}_{k'}^{2}") for here, after in pairwise(nodes))
    return Sketch('Odd "titles" <&>', "Text & <markup>.", (SketchGroup("g", "Größe <i>", "× <1>", nodes),), edges)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The folder of a site of one page, which a build replaces."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("old")
    return folder


@pytest.fixture(scope="session")
def node() -> Iterator[NodeProcess]:
    with NodeProcess(prepare()) as process:
        yield process


@pytest.fixture(scope="session")
def whole_checked(node: NodeProcess) -> Checked:
    """The real content, checked once for all tests that only look at it."""

    def store(atlas: Atlas) -> SourceStore:
        return SourceStore({name: source.data for name, source in atlas.sources.items()})

    content, sources = ROOT / "content", ROOT / "sources"
    found = check_project(ROOT, content, sources, make_store=store, typesetter=node.typeset).checked
    assert found is not None
    return found


@pytest.fixture(scope="session")
def whole_uses(whole_checked: Checked) -> Uses:
    """Which entries of the real content use what."""
    return Uses(uses_share(one) for one in whole_checked.collections.values())


@pytest.fixture(scope="session")
def whole_shares(whole_checked: Checked, whole_uses: Uses) -> Shares:
    """The shares of all collections."""
    every, parts = list(whole_checked.collections.values()), Parts(whole_checked, Typesetting())
    return Shares(
        homes=[home_share(one, parts) for one in every],
        names=list(map(glossary_share, every)),
        claims=list(map(verification_share, every)),
        comparisons=[share for one in every if (share := compare_share(one)) is not None],
        conflicts=[conflicts_share(one, parts) for one in every],
        uses=whole_uses,
    )


@pytest.fixture(scope="session")
def whole_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The real content, built once for all tests that only look at it; no repository is known."""
    workspace = tmp_path_factory.mktemp("whole")
    content, sources = ROOT / "content", ROOT / "sources"
    made = build_site(Settings(ROOT, content, sources, workspace, "Atlas", site_url="https://example.org/atlas/"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def sketches() -> Mapping[str, Sketch]:
    """The synthetic models by name."""
    makers = (encoder_decoder, nested, single, recurrent, large, odd_titles)
    return {maker.__name__: maker() for maker in makers}


@pytest.fixture(scope="session")
def ask_search() -> Callable[..., Any]:
    """Run the browser's side of search: `ask_search(site=folder, queries=[...], texts=[...])`."""
    node = prepare().node

    def ask(**given: Any) -> Any:
        command = [str(node), str(Path(__file__).with_name("search_query.mjs"))]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)  # noqa: S603 - our own script
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture(scope="session")
def texts(whole_site: Site) -> dict[str, str]:
    """Every text among the files beside the pages."""
    kept = (".json", ".jsonl", ".md", ".bib", ".py")
    return {asset.url: text_of(asset) for asset in (*whole_site.assets, *whole_site.forms) if asset.url.endswith(kept)}


@pytest.fixture(scope="session")
def data(texts: dict[str, str]) -> dict[str, Any]:
    """Every data file, without the schemas."""
    return {
        url: json.loads(text)
        for url, text in texts.items()
        if url.startswith("api/v1/") and url.endswith(".json") and "/schema/" not in url
    }
