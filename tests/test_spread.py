"""Work is the same wherever it is done: here, in processes of this machine, on a cluster; and who loses it says so."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from distributed import LocalCluster
from filelock import FileLock

from atlas import spread as module
from atlas.cli import main
from atlas.exceptions import ExecutorError
from atlas.kept import cache_folder
from atlas.spread import Executor, Here, cluster, cores, processes, spread

Run = Callable[..., Result]
PATIENCE = 120.0
"""Seconds after which a process counts as left over; the shared machine is slow."""

FFN = "transformer/encoder/ffn-layer-norm"
FFN_FILE, ATTENTION_FILE = f"content/{FFN}.yml", "content/transformer/encoder/attention-layer-norm.yml"
CHAINER_FILE = "content/chainer/layer-normalization.yml"


def local(**options: Any) -> LocalCluster:
    """A cluster of this machine that takes no port that others may want; its dashboard would need another package."""
    return LocalCluster(host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50, **options)


@pytest.fixture(scope="module")
def workers(pieces: Any) -> Iterator[LocalCluster]:
    """Two worker processes of this machine."""
    with local(n_workers=2, processes=True, threads_per_worker=1) as made:
        yield made


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in the project's folder."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(real_project.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


@pytest.fixture(scope="module")
def pieces() -> Iterator[Any]:
    """The module of work, which other processes find where this one does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield import_module("spread_pieces")


def results(pieces: Any, executor: Executor) -> tuple[list[int], set[int]]:
    made = list(spread(pieces.double, range(10), executor))
    return [value for value, _ in made], {process for _, process in made}


def test_answers_come_in_the_order_of_the_pieces(workers: LocalCluster, pieces: Any) -> None:
    expected = [2 * piece for piece in range(10)]
    assert results(pieces, Here()) == (expected, {os.getpid()})
    with cores(1) as executor:
        assert results(pieces, executor) == (expected, {os.getpid()})
    with cores(2) as executor:
        values, at_work = results(pieces, executor)
    assert values == expected
    assert os.getpid() not in at_work
    with cluster(workers.scheduler_address) as executor:
        values, at_work = results(pieces, executor)
    assert values == expected
    assert at_work <= {nanny.pid for nanny in workers.workers.values()}


def test_here_a_piece_is_done_when_it_is_asked_for() -> None:
    begun: list[int] = []
    made = spread(begun.append, range(3), Here())
    assert begun == []
    next(made)
    assert begun == [0]


def test_elsewhere_all_pieces_are_given_before_an_answer_is_asked_for() -> None:
    given: list[int] = []

    class Elsewhere:
        def map(self, function: Callable[[Any], Any], /, *pieces: Iterable[Any]) -> Iterator[Any]:
            given.extend(next(iter(pieces)))
            return map(function, given)

    made = spread(str, range(3), Elsewhere())
    assert given == [0, 1, 2]
    assert list(made) == ["0", "1", "2"]


def test_nothing_to_do_asks_nobody(pieces: Any) -> None:
    class Nobody:
        def map(self, function: Callable[[Any], Any], /, *pieces: Iterable[Any]) -> list[Any]:
            raise AssertionError("asked")

    assert list(spread(pieces.double, [], Nobody())) == []


def test_executors_that_give_futures_do(pieces: Any) -> None:
    class Futures:
        def map(self, function: Callable[[Any], Any], /, *pieces: Iterable[Any]) -> list[Future[Any]]:
            with ThreadPoolExecutor(2) as pool:
                return [pool.submit(function, piece) for piece in next(iter(pieces))]

    assert results(pieces, Futures())[0] == [2 * piece for piece in range(10)]


@pytest.mark.parametrize("place", ["cores", "cluster"])
def test_an_error_of_the_work_is_its_own(place: str, workers: LocalCluster, pieces: Any) -> None:
    with (
        pytest.raises(ZeroDivisionError, match="piece 7"),
        cores(2) if place == "cores" else cluster(workers.scheduler_address) as executor,
    ):
        list(spread(pieces.wrong, [7], executor))


def test_without_a_place_for_locks_one_process_does_all(pieces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in containers whose `/dev/shm` cannot be written."""

    def refused(*_: object, **_named: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    module._can_share.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr("multiprocessing.synchronize.SemLock.__init__", refused)
        number = processes()
        with pytest.raises(ExecutorError, match="as /dev/shm cannot be written: --jobs 1"), cores(2):
            """They are not begun."""
    module._can_share.cache_clear()
    assert number == 1
    with cores(number) as executor:
        assert results(pieces, executor)[1] == {os.getpid()}
    assert processes() == len(os.sched_getaffinity(0))


def test_a_process_that_dies_is_told_of(pieces: Any) -> None:
    with (
        pytest.raises(ExecutorError, match=r"^the work was not finished, as what was at it is gone: "),
        cores(2) as pool,
    ):
        list(spread(pieces.die, [1], pool))


def test_a_process_that_dies_amid_an_answer_is_told_of(pieces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NOTICED_AFTER", 0.1)
    with (
        pytest.raises(ExecutorError, match=r"^the work was not finished, as what was at it is gone: "),
        cores(2) as pool,
    ):
        list(spread(pieces.half_an_answer, [""], pool))


def test_this_python_has_what_ends_its_waiting_for_the_rest_of_an_answer() -> None:
    """Where this fails, `concurrent.futures` has changed: a worker that dies amid an answer is waited for for ever."""
    with cores(2) as pool:
        assert isinstance(pool, module._Pool)
        assert isinstance(pool._answers, Connection)


def test_a_pool_works_where_python_has_nothing_that_ends_its_waiting(
    pieces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cores(2) as pool:
        monkeypatch.setattr(pool, "_answers", None)
        assert results(pieces, pool)[0] == [2 * piece for piece in range(10)]
        with pytest.raises(ExecutorError, match=r"^the work was not finished, as what was at it is gone: "):
            list(spread(pieces.die, [1], pool))


def test_whoever_gives_up_does_not_wait_for_the_rest_of_an_answer(pieces: Any, tmp_path: Path) -> None:
    place = tmp_path / "one"
    text = (
        "import sys, time; from pathlib import Path; from atlas.spread import cores, spread; import spread_pieces\n"
        "with cores(2) as pool:\n"
        "    spread(spread_pieces.half_an_answer, sys.argv[1:], pool)\n"
        "    while not Path(sys.argv[1] + '.begun').exists(): time.sleep(0.02)\n"
        "    raise SystemExit('given up')"
    )
    command = [sys.executable, "-c", text, str(place)]
    folder = Path(pieces.__file__).parent
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=PATIENCE)  # noqa: S603 - our own
    assert (ended.returncode, ended.stderr) == (1, "given up\n")


@contextmanager
def holding(pieces: Any, *places: str) -> Iterator[subprocess.Popen[str]]:
    """A process with processes of its own, each of which holds a lock."""
    command = [sys.executable, pieces.__file__, *places]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as started:  # noqa: S603 - our own script
        while not all(Path(f"{place}.begun").exists() for place in places):
            assert started.poll() is None
            time.sleep(0.02)
        yield started


def let_go(place: str) -> None:
    """Wait until whoever held a lock has ended."""
    with FileLock(f"{place}.lock", timeout=PATIENCE):
        """It is had."""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_one_that_started_it(pieces: Any, tmp_path: Path, ending: signal.Signals) -> None:
    places = [str(tmp_path / name) for name in ("one", "other")]
    with holding(pieces, *places) as started:
        started.send_signal(ending)
        said = started.communicate(timeout=PATIENCE)[1]
    assert started.returncode in (-ending, 1)
    assert "Process SpawnProcess" not in said
    for place in places:
        let_go(place)


def test_processes_that_are_interrupted_with_the_one_that_started_them_are_silent(pieces: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "one")
    with holding(pieces, place) as started:
        os.killpg(started.pid, signal.SIGINT)
        said = started.communicate(timeout=PATIENCE)[1]
    assert said.count("Traceback") == 1
    assert said.rstrip().endswith("KeyboardInterrupt")
    let_go(place)


def test_whoever_gives_up_does_not_wait_for_what_is_at_work(pieces: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "one")

    def give_up() -> None:
        with cores(2) as pool:
            pool.map(pieces.hold, [place])
            while not Path(f"{place}.begun").exists():
                time.sleep(0.02)
            list(spread(pieces.wrong, [7], pool))

    with pytest.raises(ZeroDivisionError, match="piece 7"):
        give_up()
    let_go(place)


def test_workers_that_die_are_told_of_and_others_go_on(workers: LocalCluster, pieces: Any) -> None:
    with cluster(workers.scheduler_address) as executor:
        with pytest.raises(ExecutorError, match=r"workers of tcp://127\.0\.0\.1:\d+ died while they were at one piece"):
            list(spread(pieces.die, [1], executor))
        assert results(pieces, executor)[0] == [2 * piece for piece in range(10)]  # on those that took their place


def test_a_scheduler_that_goes_is_told_of(pieces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = local(n_workers=1, processes=True, threads_per_worker=1)
    monkeypatch.setattr(module, "LOOKED_AFTER", 0.2)
    with cluster(gone.scheduler_address) as executor:
        assert results(pieces, executor)[0]
        gone.close()
        with pytest.raises(ExecutorError, match=r"the scheduler at tcp://127\.0\.0\.1:\d+ is gone"):
            list(spread(pieces.double, range(2), executor))


def test_workers_that_go_and_do_not_come_back_are_told_of(pieces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOKED_AFTER", 0.2)
    with (
        local(n_workers=1, processes=True, threads_per_worker=1) as emptied,
        cluster(emptied.scheduler_address) as executor,
    ):
        assert results(pieces, executor)[0]
        emptied.scale(0)
        while emptied.scheduler.workers:
            time.sleep(0.05)
        monkeypatch.setattr(module, "CONNECTING", 0.5)
        with pytest.raises(ExecutorError, match="has no worker any more"):
            list(spread(pieces.double, range(2), executor))


def test_another_version_elsewhere_is_refused(
    monkeypatch: pytest.MonkeyPatch, workers: LocalCluster, pieces: Any
) -> None:
    monkeypatch.setattr(module, "code_digest", lambda *rooms: "another")
    with (
        cluster(workers.scheduler_address) as executor,
        pytest.raises(ExecutorError, match="the same versions"),
    ):
        list(spread(pieces.double, [1], executor))


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{free.getsockname()[1]}"


def test_a_scheduler_that_is_not_there_is_told(atlas: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTING", 0.5)
    address = free_address()
    for command in ("check", "verify"):
        result = atlas(command, "--dask", address)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"Error: no Dask scheduler answers at {address}: " in result.stderr
    assert "Error: no Dask scheduler answers at no address: " in atlas("check", "--dask", "no address").stderr


def test_a_cluster_without_workers_is_told(atlas: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTING", 1.0)
    with local(n_workers=0) as empty:
        result = atlas("check", "--dask", empty.scheduler_address)
    assert result.exit_code == 2
    assert f"Error: the Dask scheduler at {empty.scheduler_address} has no worker" in result.stderr


def test_one_place_is_enough(atlas: Run) -> None:
    result = atlas("check", "--jobs", "2", "--dask", "tcp://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--jobs and --dask say both where the work is done" in result.stderr
    assert "Invalid value for '--jobs': 0 is not in the range x>=1" in atlas("verify", "--jobs", "0").stderr


@pytest.fixture
def everywhere(
    atlas: Run, workers: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Run a command in each place, with nothing kept of what was judged, and give the result that all of them have."""
    shared = cache_folder()
    numbers = count()

    def run(*command: str) -> Result:
        made: list[Result] = []
        for place in (("--jobs", "1"), ("--jobs", "2"), ("--dask", workers.scheduler_address)):
            folder = tmp_path / f"cache-{next(numbers)}"
            folder.mkdir()
            for name in ("node", "sources"):
                (folder / name).symlink_to(shared / name, target_is_directory=True)
            monkeypatch.setenv("OPENMODELATLAS_CACHE", str(folder))
            made.append(atlas(*command, *place))
        first = made[0]
        for other in made[1:]:
            assert (other.exit_code, other.stdout, other.stderr) == (first.exit_code, first.stdout, first.stderr)
        return first

    return run


def test_check_gives_the_same_issues_in_the_same_order_everywhere(
    everywhere: Callable[..., Result], real_project: Any
) -> None:
    for file in (FFN_FILE, ATTENTION_FILE):
        real_project.edit(file, r"\varepsilon &= 10^{-6}", r"\varepsilon &= 10^{-5}")
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    result = everywhere("check", "--format", "json")
    assert result.exit_code == 1
    found = [one["path"] for one in json.loads(result.stdout)]
    assert {ATTENTION_FILE, FFN_FILE, CHAINER_FILE} <= set(found)
    assert found == sorted(found)


def test_verify_gives_the_same_figures_issues_and_records_everywhere(
    everywhere: Callable[..., Result], real_project: Any
) -> None:
    real_project.edit(FFN_FILE, "call: layer_norm\n", "call: layer_nrm\n")
    result = everywhere("verify")
    assert result.exit_code == 1
    assert result.stdout.count("largest relative error") == 7
    assert f"{FFN}: result of layer_nrm with its own epsilon: not executed\n" in result.stdout
    assert ": A704 tensor2tensor/models/common_layers.py defines no layer_nrm" in result.stdout


def test_what_workers_proved_is_recorded_here(atlas: Run, workers: LocalCluster, real_project: Any) -> None:
    assert atlas("verify", "--record", "--dask", workers.scheduler_address).exit_code == 0
    assert {file.name for file in real_project.root.rglob("*.proofs.json")} == {
        "attention-layer-norm.proofs.json",
        "ffn-layer-norm.proofs.json",
        "layer-normalization.proofs.json",
    }
    assert atlas("check").exit_code == 0


ASIDE = """
import os, sys
from pathlib import Path
from atlas import spread

folder, fails = Path(sys.argv[1]), sys.argv[2] == "fails"

def work():
    (folder / "done").write_text(str(os.getpid()))
    if fails:
        raise ValueError("told nowhere")

if sys.argv[2] == "here":
    spread.forks = lambda: False
with spread.aside(work) as left:
    left()
print(os.getpid(), (folder / "done").read_text())
"""


@pytest.mark.parametrize("how", ["copy", "fails", "here"])
def test_work_is_done_aside_where_copies_can_be_made_and_else_here(tmp_path: Path, how: str) -> None:
    command = [sys.executable, "-c", ASIDE, str(tmp_path), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own script
    own, worked = done.stdout.split()
    assert (own == worked) == (how == "here" or sys.platform != "linux")
    assert done.stderr == ""
