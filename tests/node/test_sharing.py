"""One Node that several processes speak with gives what one of their own would, whatever happens to it or to them."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import Process, current_process, get_context
from pathlib import Path
from typing import Any

import pytest

from atlas.exceptions import NodeError
from atlas.kept import Kept
from atlas.node.environment import Environment
from atlas.node.layout import Graph, lay_out
from atlas.node.lines import Address
from atlas.node.process import Formula, NodeProcess, command_of
from atlas.node.sharing import SPEAKERS, SharedNode, Sharing
from atlas.node.typesetter import Typesetter

FORMULAS = [Formula(rf"\frac{{a_{{{number}}}}}{{b}}", number % 2 == 0) for number in range(120)]
GRAPH = Graph(
    "a pair",
    {
        "id": "root",
        "layoutOptions": {"elk.algorithm": "layered"},
        "children": [{"id": "a", "width": 30, "height": 20}, {"id": "b", "width": 40, "height": 20}],
        "edges": [{"id": "ab", "sources": ["a"], "targets": ["b"]}],
    },
)
DEADLINE = 30.0


def boxes(answers: list[dict[str, Any]]) -> list[tuple[float, float]]:
    return [(one["x"], one["y"]) for answer in answers for one in answer["children"]]


def ends(pid: int) -> bool:
    """Whether the process, which is no child of this one, ends."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def shared(environment: Environment) -> Iterator[SharedNode]:
    node = SharedNode.started(command_of(environment))
    assert node is not None
    yield node
    node.close()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    with Kept(tmp_path / "kept") as kept:
        yield kept


def test_it_answers_as_one_of_ones_own(node: NodeProcess, environment: Environment, shared: SharedNode) -> None:
    with NodeProcess(environment, shared=shared.address) as speaker:
        assert speaker.pid == shared.address.pid != node.pid
        assert speaker.versions() == node.versions()
        assert speaker.typeset(FORMULAS) == node.typeset(FORMULAS)
        assert speaker.typeset(FORMULAS, whole=True) == node.typeset(FORMULAS, whole=True)
        assert boxes(lay_out(speaker, [GRAPH])) == boxes(lay_out(node, [GRAPH]))


def test_speakers_at_the_same_time_get_each_their_own(environment: Environment, shared: SharedNode) -> None:
    def speak(number: int) -> None:
        mine = [Formula(f"x_{{{number}{place}}}") for place in range(200)]
        graph = {**GRAPH.elements, "children": [{"id": "a", "width": number, "height": 1}], "edges": []}
        with NodeProcess(environment, shared=shared.address) as speaker:
            for _ in range(5):
                (placed,) = lay_out(speaker, [Graph("one", graph)])
                assert placed["children"][0]["width"] == number
                assert [one.formula for one in speaker.typeset(mine)] == mine
                assert all(f"{number}{place}" in str(one.html) for place, one in enumerate(speaker.typeset(mine)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(speak, range(10, 14)))


@pytest.mark.parametrize(
    "said", [b"", b"\0\0\1\0half", b"\0\0\0\5{no}!", b'\0\0\0\x1f{"id": 1, "kind": "what is that"}']
)
def test_who_goes_or_says_nonsense_leaves_the_others_alone(
    environment: Environment, shared: SharedNode, said: bytes
) -> None:
    with NodeProcess(environment, shared=shared.address) as speaker:
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(shared.address.path)
            other.sendall(said)
        assert len(speaker.typeset(FORMULAS)) == len(FORMULAS)


def test_who_goes_while_it_is_answered_leaves_the_others_alone(environment: Environment, shared: SharedNode) -> None:
    with NodeProcess(environment, shared=shared.address) as speaker:
        with NodeProcess(environment, shared=shared.address) as other:
            other.submit([Formula(rf"\sqrt{{x_{{{number}}}}}") for number in range(2000)])
        assert len(speaker.typeset(FORMULAS)) == len(FORMULAS)


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_it_leaves_no_folder_when_it_is_told_to_end(environment: Environment, shared: SharedNode, number: int) -> None:
    with NodeProcess(environment, shared=shared.address) as speaker:
        assert len(speaker.typeset(FORMULAS)) == len(FORMULAS)
        folder = Path(shared.address.path).parent
        os.kill(speaker.pid, number)
        until = time.monotonic() + DEADLINE
        while folder.exists() and time.monotonic() < until:
            time.sleep(0.02)
        assert not folder.exists()


@pytest.mark.parametrize("happens", [stop, kill])
def test_who_loses_it_goes_on_with_one_of_their_own(
    node: NodeProcess,
    environment: Environment,
    shared: SharedNode,
    kept: Kept,
    happens: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Typesetter(kept, sharing=Sharing(environment, (shared.address,))) as typesetter:
        assert typesetter.typeset(FORMULAS[:1]) == node.typeset(FORMULAS[:1])
        assert typesetter.process.pid == shared.address.pid
        monkeypatch.setattr(typesetter.process, "_timeout", 0.5)  # and of its own one, which has to start, as ever
        happens(shared.address.pid)
        assert typesetter.typeset(FORMULAS) == node.typeset(FORMULAS)
        assert typesetter.process.pid != shared.address.pid
        assert boxes(typesetter.lay_out([GRAPH])) == boxes(lay_out(node, [GRAPH]))


def test_a_death_amid_a_batch_fails_what_waits_for_it(environment: Environment, shared: SharedNode) -> None:
    with NodeProcess(environment, shared=shared.address) as speaker:
        stop(shared.address.pid)
        pending = speaker.submit(FORMULAS)
        kill(shared.address.pid)
        with pytest.raises(NodeError, match=r"Node has ended.* during a batch of 50 formulas"):
            pending.result()


def test_what_kills_any_node_is_told_by_the_last_one(
    environment: Environment, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "dying.mjs"
    script.write_text('process.stdin.on("data", () => { console.error("out of ideas"); process.exit(3); });\n')
    monkeypatch.setattr("atlas.node.typesetter.NodeProcess", partial(NodeProcess, server=script))
    gone = Address(str(tmp_path / "nowhere"), 1)
    with (
        Typesetter(kept, sharing=Sharing(environment, (gone,))) as typesetter,
        pytest.raises(NodeError, match=r"Node has ended during .*\n    out of ideas"),
    ):
        typesetter.typeset(FORMULAS)


def test_one_that_cannot_start_is_replaced(node: NodeProcess, environment: Environment, kept: Kept) -> None:
    broken = SharedNode.started(command_of(replace(environment, katex_dist=Path("nowhere"))))
    assert broken is not None
    try:
        with Typesetter(kept, sharing=Sharing(environment, (broken.address,))) as typesetter:
            assert typesetter.typeset(FORMULAS) == node.typeset(FORMULAS)
    finally:
        broken.close()


def test_nobody_else_can_speak_with_it(shared: SharedNode) -> None:
    assert Path(shared.address.path).parent.stat().st_mode & 0o777 == 0o700


def test_closing_ends_it_and_leaves_nothing(shared: SharedNode) -> None:
    shared.close()
    assert ends(shared.address.pid)
    assert not Path(shared.address.path).parent.exists()
    shared.close()


def test_a_copy_of_its_starter_does_not_end_it(environment: Environment, shared: SharedNode) -> None:
    copy: Process = get_context("fork").Process(target=shared.close)  # type: ignore[assignment]  # as it is a Process
    copy.start()
    copy.join()
    assert copy.exitcode == 0
    with NodeProcess(environment, shared=shared.address) as speaker:
        assert speaker.versions().katex == environment.katex_version


def test_it_ends_with_a_starter_that_is_killed(environment: Environment) -> None:
    program = f"""
        import pickle, sys, time
        from atlas.node.process import command_of
        from atlas.node.sharing import SharedNode
        node = SharedNode.started(command_of(pickle.loads({pickle.dumps(environment)!r})))
        print(node.address.pid, node.address.path, flush=True)
        time.sleep(600)
        """
    lines = "\n".join(line.strip() for line in program.splitlines())
    command = [sys.executable, "-c", lines]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:  # noqa: S603 - written above
        assert starter.stdout is not None
        pid, path = starter.stdout.readline().split()
        with socket.socket(socket.AF_UNIX) as speaker:
            speaker.connect(path)
            starter.kill()
            assert ends(int(pid))
    assert not Path(path).parent.exists()


def test_where_none_can_be_shared_everyone_has_their_own(
    environment: Environment, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("folder" * 20)  # longer than the path of a socket can be
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with Typesetter(kept, lambda: environment) as typesetter:
        sharing = typesetter.share(2)
        assert sharing == Sharing(environment, ())
        assert sharing.address() is None
        with Typesetter(kept, sharing=sharing) as other:
            assert other.typeset(FORMULAS[:1])[0].html
            assert other.process.pid != typesetter.process.pid
    assert list(deep.iterdir()) == []


def test_as_many_as_are_needed_take_turns(
    environment: Environment, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = threading.active_count()
    with Typesetter(kept, lambda: environment) as typesetter:
        assert typesetter.sharing is None
        sharing: Sharing = pickle.loads(pickle.dumps(typesetter.share(SPEAKERS + 1)))  # noqa: S301 - made here
        assert threading.active_count() == threads
        assert len(sharing.addresses) == 2
        assert typesetter.sharing == sharing
        for name, place in (("ForkProcess-2", 0), ("SpawnProcess-3", 1), ("SpawnProcess-1:4", 0), ("mine", 0)):
            monkeypatch.setattr(current_process(), "name", name)
            assert sharing.address() == sharing.addresses[place]
        pids = [address.pid for address in sharing.addresses]
        assert typesetter.process.pid == pids[0]
    assert all(map(ends, pids))
