from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.sources.blob import blob_id
from atlas.upstream.execute import located
from atlas.upstream.facade import State
from atlas.upstream.linked import Linked
from atlas.upstream.tensorflow_facade import TENSORFLOW
from atlas.upstream.tensorflow_tensor import TensorFlowTensor


@dataclass(frozen=True, slots=True)
class File:
    text: str
    blob: str


def file(text: str) -> File:
    content = textwrap.dedent(text)
    return File(content, blob_id(content.encode()))


FILES = {
    "project/layers.py": file(
        """
        import tensorflow as tf
        import nowhere

        registered = {}

        def register(function):
            registered[function.__name__] = function
            return function

        def gain(x, name=None):
            with tf.variable_scope(name, default_name="gain"):
                return x * tf.get_variable("weight", [x.get_shape()[-1]])

        def both(x):
            return gain(x), [x, "text"]

        def repeated(x, times):
            return repeated(x, times - 1) + x if times else x

        def uses_nowhere(x):
            return nowhere.f(x)

        class Base(object):
            def run(self, x):
                return self.step(x)
        """
    ),
    "project/models/net.py": file(
        """
        from project import layers
        from project.layers import gain as scale
        from project.models import other

        LIMIT = 3

        @layers.register
        class Net(layers.Base):
            def step(self, x):
                with layers.tf.variable_scope("net"):
                    return layers.gain(scale(x)) + scale(x)

            limit = property(lambda self: LIMIT)

        def late(x):
            return other.later(x)

        def pair(x):
            return layers.both(x)
        """
    ),
    "project/models/other.py": file(
        """
        from project.models import net

        def later(x):
            return net.LIMIT * x

        circle = net.circle
        """
    ),
}
NET = "project/models/net.py"
LAYERS = "project/layers.py"

Link = Callable[..., Linked]


@pytest.fixture
def state() -> State:
    return State({"weight": np.array([2.0, 3.0])})


@pytest.fixture
def link(state: State) -> Link:
    def linked(files: Mapping[str, Any] = FILES, **watches: list[str]) -> Linked:
        paths = {"layers": LAYERS, "net": NET}
        return Linked(files, TENSORFLOW, state, {paths[name]: found for name, found in watches.items()})

    return linked


def x() -> TensorFlowTensor:
    return TensorFlowTensor(np.array([[1.0, 10.0]]))


def test_files_reach_each_others_definitions(link: Link, state: State) -> None:
    linked = link()
    net: Any = linked.definition(NET, "Net")
    assert net().run(x()).value.tolist() == [[4 + 2, 90 + 30]]
    assert list(state.variables) == ["net/gain/weight", "net/gain_1/weight", "net/gain_2/weight"]
    assert linked.definition(LAYERS, "registered") == {"Net": net}
    assert linked.definition(NET, "LIMIT") == 3


def test_two_files_may_import_each_other(link: Link) -> None:
    late: Any = link().definition(NET, "late")
    assert late(2) == 6


def test_every_statement_runs_once(link: Link) -> None:
    linked = link()
    first = linked.definition(LAYERS, "gain")
    linked.definition(LAYERS, "both")
    assert linked.definition(LAYERS, "gain") is first


def test_what_is_not_reached_is_not_imported(link: Link) -> None:
    linked = link()
    linked.definition(LAYERS, "both")
    with pytest.raises(UpstreamError, match=r"^project/layers\.py:3: the tensorflow facade serves no module nowhere$"):
        linked.definition(LAYERS, "uses_nowhere")


def test_watched_results_are_named_by_scope_and_order(link: Link) -> None:
    linked = link(layers=["gain", "both"], net=["Net.step"])
    net: Any = linked.definition(NET, "Net")
    pair: Any = linked.definition(NET, "pair")
    with located():
        net().run(x())
        pair(x())
    values = {name: value.tolist() for name, value in linked.values.items()}
    assert values == {
        "net/gain": [[2, 30]],
        "net/gain_1": [[4, 90]],
        "net/gain_2": [[2, 30]],
        "step": [[6, 120]],
        "gain": [[2, 30]],
        "both:0": [[2, 30]],
        "both:1:0": [[1, 10]],
    }
    assert [linked.calls(LAYERS, "gain"), linked.calls(LAYERS, "both"), linked.calls(NET, "Net.step")] == [4, 1, 1]


def test_calls_inside_a_call_are_numbered_in_the_order_of_beginning(link: Link) -> None:
    linked = link(layers=["repeated"])
    repeated: Any = linked.definition(LAYERS, "repeated")
    repeated(x(), 2)
    values = {name: value.tolist() for name, value in linked.values.items()}
    assert values == {"repeated_2": [[1, 10]], "repeated_1": [[2, 20]], "repeated": [[3, 30]]}


def test_a_module_of_the_project_has_what_its_file_defines_and_nothing_else(link: Link) -> None:
    linked = link()
    net: Any = linked.definition(NET, "layers")
    assert net.registered == {}
    with pytest.raises(UpstreamError, match=r"^project/layers\.py defines no gane \(did you mean gain\?\)$"):
        net.gane  # noqa: B018  asking is what is tested
    assert not hasattr(net, "__path__")


@pytest.mark.parametrize(
    ("watches", "message"),
    [
        ({"layers": ["gane"]}, r"^project/layers\.py defines no gane \(did you mean gain\?\)$"),
        ({"net": ["LIMIT"]}, r"^project/models/net\.py: LIMIT is no function"),
        ({"net": ["Net.limit"]}, r"^project/models/net\.py: Net\.limit is no function"),
        ({"net": ["Net.absent"]}, r"^project/models/net\.py: Net\.absent is no function"),
        ({"net": ["Net"]}, r"^project/models/net\.py: Net is no function"),
        ({"net": ["late.absent"]}, r"^project/models/net\.py: late\.absent is no function"),
    ],
)
def test_what_cannot_be_watched_is_refused(link: Link, watches: dict[str, list[str]], message: str) -> None:
    def define_all() -> None:
        for name in ("Net", "LIMIT", "late"):
            link(**watches).definition(NET, name)

    with pytest.raises(UpstreamError, match=message):
        define_all()


def test_files_are_verified_before_any_of_them_runs(link: Link) -> None:
    files = FILES | {LAYERS: replace(FILES[LAYERS], blob=blob_id(b"other"))}
    with pytest.raises(
        UpstreamError, match=r"^project/layers\.py is pinned as blob \w+ but is \w+: it is not executed"
    ):
        link(files)


def test_a_file_that_is_not_there_is_named(link: Link, state: State) -> None:
    with pytest.raises(
        UpstreamError, match=r"^project/absent\.py is not among the files: project/layers\.py, project/models/net\.py, "
    ):
        link().definition("project/absent.py", "f")
    with pytest.raises(UpstreamError, match=r"^project/absent\.py is not among the files"):
        Linked(FILES, TENSORFLOW, state, {"project/absent.py": ["f"]})
    with pytest.raises(UpstreamError, match=r"serves no project\.layers"):
        link({NET: FILES[NET]}).definition(NET, "pair")


def test_a_file_cannot_stand_in_for_a_module_of_the_facade(link: Link) -> None:
    with pytest.raises(UpstreamError, match=r"^the tensorflow facade serves tensorflow itself$"):
        link({"tensorflow.py": file("x = 1")})


def test_a_definition_that_needs_itself_through_another_file_is_refused(link: Link) -> None:
    files = FILES | {NET: file("from project.models import other\ncircle = other.circle\n")}
    with pytest.raises(UpstreamError, match="circle is asked for while it is being defined"):
        link(files).definition(NET, "circle")
