"""Which places of pip's answer: folders, a server of this machine, one that is not there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from atlas.sources import reach as module
from atlas.sources.pip_settings import PipSettings
from atlas.sources.reach import git_version, reach


class Answers(BaseHTTPRequestHandler):
    """Answers with the number in the path, and notes what was asked."""

    asked: list[tuple[str, str]]

    def do_HEAD(self) -> None:
        self.asked.append((self.command, self.path))
        self.send_response(int(self.path.split("/")[1]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    Answers.asked = []
    served = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    served.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (200, ""),
        (404, ""),
        (401, "it answers with 401: it wants a name and a password"),
        (503, "it answers with 503"),
    ],
)
def test_an_index_is_asked_for_one_small_page(server: str, status: int, problem: str) -> None:
    [found] = reach(PipSettings(index_url=f"{server}/{status}/simple/"))
    assert (found.where, found.is_index, found.asked, found.problem) == ("this machine", True, True, problem)
    assert Answers.asked == [("HEAD", f"/{status}/simple/pip/")]


def test_a_server_that_is_not_there_is_a_problem(server: str) -> None:
    [found] = reach(PipSettings(index_url="http://127.0.0.1:9/simple/", timeout=2))
    assert found.problem != ""
    assert "\n" not in found.problem


def test_folders_are_looked_at(tmp_path: Path) -> None:
    settings = PipSettings(no_index=True, find_links=(str(tmp_path), tmp_path.as_uri(), str(tmp_path / "nowhere")))
    found = list(reach(settings))
    assert [one.problem for one in found] == ["", "", "there is no such file or folder"]
    assert {(one.where, one.is_index) for one in found} == {("folder", False)}


def test_offline_the_network_is_not_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> str:
        raise AssertionError("something was asked")

    monkeypatch.setattr(module, "_problem", never)
    [found] = reach(PipSettings(index_url="https://index.example/simple/"), offline=True)
    assert (found.asked, found.where, found.problem) == (False, "network", "")


def test_offline_a_server_of_this_machine_is_asked(server: str) -> None:
    [found] = reach(PipSettings(index_url=f"{server.replace('127.0.0.1', 'localhost')}/200/simple/"), offline=True)
    assert found.asked


def test_a_password_is_not_shown(server: str) -> None:
    address = server.replace("http://", "http://me:secret@")
    [found] = reach(PipSettings(index_url=f"{address}/200/simple/"))
    assert "secret" not in found.place + found.problem


def test_git_tells_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = git_version()
    assert version is not None
    assert version[0].isdigit()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_version() is None
