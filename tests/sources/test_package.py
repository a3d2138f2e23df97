from __future__ import annotations

import errno
import hashlib
import io
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from atlas.entries.manifest import Artifact
from atlas.exceptions import ArchiveError, HashMismatchError, MissingFileError, OfflineError, SourceError
from atlas.sources import package
from atlas.sources.archive import Limits
from atlas.sources.package import bring_archive, bring_from_package, newest_version
from atlas.sources.pip_settings import PipSettings

# An interpreter and a machine that nobody has: the archive must be found all the same.
WHEEL = "project-1.0-cp26-cp26m-win32.whl"
SDIST = "project-1.0.tar.gz"
PATH = "pkg/layers.py"


@pytest.fixture
def wheel(make_wheel: Callable[..., bytes], files: dict[str, bytes]) -> bytes:
    return make_wheel(files)


@pytest.fixture
def artifact(make_artifact: Callable[..., dict[str, str]], wheel: bytes) -> Artifact:
    return Artifact.model_validate(make_artifact(WHEEL, wheel))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)


def page(*names: str) -> bytes:
    return ("<!DOCTYPE html>" + "".join(f'<a href="/files/{name}">{name}</a>' for name in names)).encode()


def index(site: Any) -> PipSettings:
    return PipSettings(index_url=f"{site.url}/simple")


def offer(site: Any, name: str, *bodies: bytes, **about: int) -> None:
    site.serve("/simple/project/", page(name), kind="text/html")
    site.serve(f"/files/{name}", *bodies, **about)


def test_a_folder_that_pip_is_set_to_is_enough(
    no_pip_settings: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    wheel: bytes,
    artifact: Artifact,
    files: dict[str, bytes],
) -> None:
    (tmp_path / WHEEL).write_bytes(wheel)
    (tmp_path / SDIST).write_bytes(b"another archive of the same version")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    seen: list[tuple[str, int, int | None]] = []
    found = bring_from_package(artifact, [PATH], progress=lambda *step: seen.append(step))
    assert found == {PATH: files[PATH]}
    assert seen[-1] == (WHEEL, len(wheel), len(wheel))


def test_a_source_distribution_is_read_and_its_setup_is_not_run(
    no_pip_settings: None,
    tmp_path: Path,
    make_sdist: Callable[..., bytes],
    make_artifact: Callable[..., dict[str, str]],
    files: dict[str, bytes],
) -> None:
    touch = f"open({str(tmp_path / 'was-run')!r}, 'w')".encode()
    content = make_sdist({**files, "setup.py": touch})
    (tmp_path / SDIST).write_bytes(content)
    found = bring_from_package(
        Artifact.model_validate(make_artifact(SDIST, content)),
        [PATH],
        settings=PipSettings(find_links=(str(tmp_path),)),
    )
    assert found == {PATH: files[PATH]}
    assert not (tmp_path / "was-run").exists()


def test_a_folder_as_an_index_is_read_without_a_word(
    no_pip_settings: None,
    tmp_path: Path,
    wheel: bytes,
    artifact: Artifact,
    files: dict[str, bytes],
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = tmp_path / "simple" / "project"
    folder.mkdir(parents=True)
    (folder / WHEEL).write_bytes(wheel)
    (folder / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')
    nothing = tmp_path / "nothing"
    (nothing / "project").mkdir(parents=True)
    settings = PipSettings(
        index_url=nothing.as_uri(), extra_index_urls=((tmp_path / "absent").as_uri(), (tmp_path / "simple").as_uri())
    )
    with caplog.at_level(logging.WARNING):
        assert bring_from_package(artifact, [PATH], settings=settings) == {PATH: files[PATH]}
    assert caplog.text == ""


def test_an_index_is_asked_and_a_place_that_does_not_exist_is_passed_over(
    site: Any, wheel: bytes, artifact: Artifact, files: dict[str, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    offer(site, WHEEL, wheel)
    settings = PipSettings(index_url=f"{site.url}/simple", find_links=("/nowhere/at/all",))
    assert bring_from_package(artifact, [PATH], settings=settings) == {PATH: files[PATH]}
    assert site.asked == ["/simple/project/", f"/files/{WHEEL}"]
    assert "pip is set to look in /nowhere/at/all, which is skipped" in caplog.text


def test_an_unreachable_index_does_not_keep_from_the_next(
    site: Any, wheel: bytes, artifact: Artifact, files: dict[str, bytes]
) -> None:
    offer(site, WHEEL, wheel)
    settings = PipSettings(index_url=f"{closed()}/simple", extra_index_urls=(f"{site.url}/simple",))
    assert bring_from_package(artifact, [PATH], settings=settings) == {PATH: files[PATH]}


def closed() -> str:
    """The address of a port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://user:secret@127.0.0.1:{free.getsockname()[1]}"


def test_no_network_says_what_to_do_and_keeps_passwords(no_pip_settings: None, artifact: Artifact) -> None:
    with pytest.raises(OfflineError) as caught:
        bring_from_package(artifact, [PATH], settings=PipSettings(index_url=f"{closed()}/simple"))
    message = str(caught.value)
    assert message.startswith(f"{WHEEL} could not be brought (http://***@127.0.0.1:")
    assert "Connection refused" in message
    assert caught.value.advice.startswith("connect to the network, or name a mirror")
    assert "secret" not in message
    assert caught.value.field == ("artifact", "file")


def test_passwords_of_an_index_s_links_are_kept_too(site: Any, artifact: Artifact) -> None:
    link = f"{site.url.replace('//', '//user:secret@')}/files/{WHEEL}"
    site.serve("/simple/project/", f"<!DOCTYPE html><a href='{link}'>{WHEEL}</a>".encode(), kind="text/html")
    site.serve(f"/files/{WHEEL}", b"", status=403)
    with pytest.raises(OfflineError, match="403 Forbidden") as caught:
        bring_from_package(artifact, [PATH], settings=index(site))
    assert "secret" not in str(caught.value)


def test_no_index_and_no_folder_is_no_network(artifact: Artifact) -> None:
    with pytest.raises(OfflineError, match="pip is set to use no index"):
        bring_from_package(artifact, [PATH], settings=PipSettings(no_index=True))


def test_no_index_and_a_folder_without_the_package_is_no_network(artifact: Artifact, tmp_path: Path) -> None:
    settings = PipSettings(no_index=True, find_links=(str(tmp_path),))
    with pytest.raises(OfflineError, match=f"pip is set to use no index, and it is not in .*{tmp_path.name}"):
        bring_from_package(artifact, [PATH], settings=settings)


def test_another_archive_is_refused_with_both_hashes(
    site: Any, wheel: bytes, artifact: Artifact, make_wheel: Callable[..., bytes]
) -> None:
    other = make_wheel({PATH: b"def scale(x, factor=3.0):\n    return x * factor\n"})
    offer(site, WHEEL, other, wheel)
    with pytest.raises(HashMismatchError) as caught:
        bring_from_package(artifact, [PATH], settings=index(site))
    assert caught.value.expected == artifact.sha256
    assert caught.value.found != artifact.sha256
    origin = f"the SHA-256 of {WHEEL} from {site.url}/files/{WHEEL}"
    assert str(caught.value) == f"{origin} is pinned as {artifact.sha256} but is {caught.value.found}"
    assert caught.value.field == ("artifact", "sha256")
    assert site.asked.count(f"/files/{WHEEL}") == 1


def test_a_transfer_that_breaks_off_is_tried_again(
    site: Any, wheel: bytes, artifact: Artifact, files: dict[str, bytes]
) -> None:
    offer(site, WHEEL, wheel[:100], wheel, length=len(wheel))
    assert bring_from_package(artifact, [PATH], settings=index(site)) == {PATH: files[PATH]}
    assert site.asked.count(f"/files/{WHEEL}") == 2


def test_a_transfer_that_always_breaks_off_is_no_network(site: Any, wheel: bytes, artifact: Artifact) -> None:
    offer(site, WHEEL, wheel[:100], length=len(wheel))
    with pytest.raises(OfflineError, match=f"{WHEEL} could not be brought .*without sending complete message body"):
        bring_from_package(artifact, [PATH], settings=index(site))
    assert site.asked.count(f"/files/{WHEEL}") == 3


@pytest.mark.parametrize(("number", "hint"), [(errno.EFBIG, "ulimit -f"), (errno.ENOSPC, "TMPDIR")])
def test_a_file_that_cannot_be_written_is_not_called_a_missing_network(number: int, hint: str) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(number, os.strerror(number))

    with pytest.raises(SourceError) as caught:
        package._keep(Full(), b"bytes", WHEEL)
    assert not isinstance(caught.value, OfflineError)
    assert os.strerror(number) in str(caught.value)
    assert hint in str(caught.value)
    assert "network" not in str(caught.value)


def test_a_server_that_sends_less_and_says_so_is_a_wrong_hash(site: Any, wheel: bytes, artifact: Artifact) -> None:
    offer(site, WHEEL, wheel[:100])
    with pytest.raises(HashMismatchError):
        bring_from_package(artifact, [PATH], settings=index(site))


@pytest.mark.parametrize("hanging", ["/simple/project/", f"/files/{WHEEL}"])
def test_a_server_that_hangs_is_given_up(site: Any, wheel: bytes, artifact: Artifact, hanging: str) -> None:
    ended = threading.Event()

    def hang(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(wheel)))
        request.end_headers()
        request.wfile.write(wheel[:10])
        request.wfile.flush()
        ended.wait()

    offer(site, WHEEL, wheel)
    site.answers[hanging] = [hang]
    try:
        with pytest.raises(OfflineError, match=f"{WHEEL} could not be brought .*timed out"):
            bring_from_package(artifact, [PATH], settings=replace(index(site), timeout=0.2))
    finally:
        ended.set()


def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    site: Any, wheel: bytes, artifact: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trickle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        with suppress(OSError):  # until whoever asked has seen enough
            while True:
                request.wfile.write(b"x")
                request.wfile.flush()

    monkeypatch.setattr(package, "SLOW_AFTER", 0.05)
    monkeypatch.setattr(package, "SLOWEST", 10**12)  # the loopback is faster than any network
    offer(site, WHEEL, wheel)
    site.answers[f"/files/{WHEEL}"] = [trickle]
    with pytest.raises(OfflineError, match=rf"{WHEEL} could not be brought .*bytes in \d+ seconds, which is too slow"):
        bring_from_package(artifact, [PATH], settings=index(site))
    assert site.asked.count(f"/files/{WHEEL}") == 3


@pytest.mark.parametrize("stated", [10**12, -1])
def test_an_archive_that_is_too_large_is_not_downloaded_to_its_end(
    site: Any, wheel: bytes, artifact: Artifact, stated: int
) -> None:
    limits = Limits(archive=len(wheel) - 1)
    offer(site, WHEEL, wheel, length=stated)
    with pytest.raises(ArchiveError, match=f"{WHEEL} has more bytes than the limit of {limits.archive:,}"):
        bring_from_package(artifact, [PATH], settings=index(site), limits=limits)


def test_a_failing_server_is_named(site: Any, artifact: Artifact) -> None:
    site.serve("/simple/project/", b"", status=503)
    with pytest.raises(OfflineError, match=r"Failed to collect links from .*: Server Error\(503\)"):
        bring_from_package(artifact, [PATH], settings=index(site))


def test_a_version_without_the_file_lists_what_it_has(site: Any, artifact: Artifact) -> None:
    site.serve("/simple/project/", page(SDIST, "project-1.0-py3-none-any.whl", "project-2.0.tar.gz"), kind="text/html")
    with pytest.raises(MissingFileError) as caught:
        bring_from_package(artifact, [PATH], settings=index(site))
    assert str(caught.value) == (
        f"project==1.0 has no file {WHEEL}, only project-1.0-py3-none-any.whl, project-1.0.tar.gz; "
        "the nearest is project-1.0-py3-none-any.whl"
    )
    assert caught.value.field == ("artifact", "file")


def test_an_unknown_package_names_where_it_was_looked_for(site: Any, artifact: Artifact) -> None:
    with pytest.raises(MissingFileError) as caught:
        bring_from_package(artifact, [PATH], settings=index(site))
    assert str(caught.value) == f"project==1.0 was not found; looked in {site.url}/simple"
    assert caught.value.field == ("artifact", "pypi")


def test_certificates_that_cannot_be_read_are_named(artifact: Artifact, tmp_path: Path) -> None:
    settings = PipSettings(index_url="https://index.example", cert=str(tmp_path / "absent.pem"))
    with pytest.raises(SourceError, match=r"certificates .*absent\.pem, which cannot be read"):
        bring_from_package(artifact, [PATH], settings=settings)


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["project-1.0-cp39-cp39-win32.whl", SDIST, "project-1.0-py3-none-any.whl"], "project-1.0-py3-none-any.whl"),
        (["project-1.0-cp39-cp39-win32.whl", SDIST], SDIST),
        (["project-1.0-cp39-cp39-win32.whl", "project-1.0-cp38-cp38-win32.whl"], "project-1.0-cp38-cp38-win32.whl"),
    ],
)
def test_without_a_name_the_archive_for_every_machine_is_taken(site: Any, names: list[str], taken: str) -> None:
    site.serve("/simple/project/", page(*names), kind="text/html")
    for name in names:
        site.serve(f"/files/{name}", name.encode())
    file = io.BytesIO()
    found = bring_archive("project==1.0", file, settings=index(site))
    assert (found.name, found.offered) == (taken, tuple(sorted(names)))
    assert found.sha256 == hashlib.sha256(taken.encode()).hexdigest()
    assert file.getvalue() == taken.encode()
    other = min(names)
    assert bring_archive("project==1.0", io.BytesIO(), name=other, settings=index(site)).name == other
    with pytest.raises(MissingFileError, match=r"has no file project-1\.0\.zip, only "):
        bring_archive("project==1.0", io.BytesIO(), name="project-1.0.zip", settings=index(site))


def test_an_archive_that_is_not_pinned_yet_must_be_what_the_index_states(site: Any) -> None:
    links = f'<!DOCTYPE html><a href="/files/{SDIST}#sha256={"0" * 64}">{SDIST}</a>'
    site.serve("/simple/project/", links.encode(), kind="text/html")
    site.serve(f"/files/{SDIST}", b"content")
    with pytest.raises(HashMismatchError) as caught:
        bring_archive("project==1.0", io.BytesIO(), settings=index(site))
    assert (caught.value.expected, caught.value.found) == ("0" * 64, hashlib.sha256(b"content").hexdigest())


def test_the_newest_version_is_the_highest_that_is_final_and_not_withdrawn(site: Any) -> None:
    names = ["project-1.9.tar.gz", "project-1.10-py3-none-any.whl", "project-2.0rc1.tar.gz", "project-x.tar.gz"]
    withdrawn = b'<a href="/files/project-3.0.tar.gz" data-yanked="bad">project-3.0.tar.gz</a>'
    site.serve("/simple/project/", page(*names) + withdrawn, kind="text/html")
    assert newest_version("project", index(site)) == "1.10"
    site.serve("/simple/project/", page("project-2.0rc1.tar.gz", "project-2.0a1.tar.gz"), kind="text/html")
    assert newest_version("project", index(site)) == "2.0rc1"
    with pytest.raises(MissingFileError, match="other was not found"):
        newest_version("other", index(site))
