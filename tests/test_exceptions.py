"""Every error can be sent from the process in which it was raised: what it says and what it carries come along."""

from __future__ import annotations

import inspect
import pickle

import pytest

from atlas import exceptions
from atlas.exceptions import AtlasError
from atlas.issues import Issue

KINDS = [kind for _, kind in inspect.getmembers(exceptions, inspect.isclass) if kind.__module__ == exceptions.__name__]
GIVEN: dict[str, object] = {
    "issues": [Issue("content/b.yml", 2, 1, "A131", "unknown"), Issue("content/a.yml", 1, 1, "A132", "unused")],
    "misfits": (("x", "has no axis d"),),
    "span": (3, 5),
    "position": 7,
    "field": ("artifact", "sha256"),
    "needed": 1 << 40,
}


def example(kind: type[AtlasError]) -> AtlasError:
    """One whose every argument is a value that is none of the defaults."""
    taken = inspect.signature(kind.__init__).parameters
    names = [name for name in taken if name not in ("self", "args", "kwargs")]
    return kind(*[GIVEN.get(name, f"the {name}") for name in names or ["message"]])


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_the_same_in_another_process(kind: type[AtlasError]) -> None:
    error = example(kind)
    sent = pickle.loads(pickle.dumps(error))  # noqa: S301 - the test's own
    assert type(sent) is kind
    assert str(sent) == str(error) != ""
    assert (sent.args, vars(sent)) == (error.args, vars(error))


def test_the_tree_at_the_top_of_the_module_has_every_error_below_its_base() -> None:
    lines = str(exceptions.__doc__).splitlines()
    above: list[str] = []
    drawn: dict[str, str] = {}
    for line in lines[lines.index("AtlasError") :]:
        depth = (len(line) - len(line.lstrip("│├└─ "))) // 4
        name = line.lstrip("│├└─ ").split()[0]
        above[depth:] = [name]
        drawn[name] = above[depth - 1] if depth else "Exception"
    assert drawn == {kind.__name__: kind.__bases__[0].__name__ for kind in KINDS}
