from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

RENDERER = Path(__file__).with_name("plugin_project.py")
PATIENCE = 60.0
"""Seconds after which something that should have been served counts as never coming; the shared machine is slow."""


class Preview:
    """`mkdocs serve` on a project in a temporary folder, in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.write("theme/main.html", "<title>{{ page.title }}</title><main>{{ page.content }}</main></body>")
        self.write("sources/note.txt", "[first source]")
        self.write("content/index.md", "home")
        (root / "tmp").mkdir()
        settings = {
            "site_name": "Atlas",
            "docs_dir": "content",
            "theme": {"name": None, "custom_dir": "theme"},
            "plugins": ["atlas"],
        }
        self.write("mkdocs.yml", yaml.safe_dump(settings))

    def start(self, *options: str) -> None:
        self.log = self.root / "log.txt"
        command = [sys.executable, "-W", "ignore", str(RENDERER), "serve", "--dev-addr", self.address, *options]
        with self.log.open("w") as log:
            environment = os.environ | {"TMPDIR": str(self.root / "tmp")}
            self.process = subprocess.Popen(command, cwd=self.root, stdout=log, stderr=log, env=environment)  # noqa: S603 - our own script

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # Replaced in one step, as editors do, so that no rebuild reads half a file.
        file.with_name("~new").write_text(text, encoding="utf-8")
        file.with_name("~new").replace(file)

    def entry(self, **keys: object) -> None:
        self.write("content/layer.yml", yaml.safe_dump(keys))

    def get(self, path: str = "layer/") -> tuple[int, str]:
        request = f"http://{self.address}/{path}"
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; give up when the server ended or after a time that is far too long."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if holds():
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            assert self.process.poll() is None, f"the server ended: {self.log.read_text()}"
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.05)

    def shows(self, text: str, path: str = "layer/") -> None:
        self.until(lambda: text in self.get(path)[1])

    def logs(self, text: str) -> None:
        self.until(lambda: text in self.log.read_text())


@pytest.fixture
def preview(tmp_path: Path) -> Iterator[Preview]:
    preview = Preview(tmp_path)
    yield preview
    preview.stop()
    assert preview.process.returncode == 0
    assert list((tmp_path / "tmp").iterdir()) == []


def test_edits_of_entries_sources_and_templates_are_served_and_a_broken_one_keeps_the_last_good_site(
    preview: Preview,
) -> None:
    preview.entry(title="Layer", body="one")
    preview.start()
    preview.shows("<main>one[first source]</main>")

    preview.entry(title="Layer", body="two")
    preview.shows("<main>two[first source]</main>")

    preview.write("sources/note.txt", "[second source]")
    preview.shows("<main>two[second source]</main>")

    preview.write("theme/main.html", "<p>{{ page.content }}</p></body>")
    preview.shows("<p>two[second source]</p>")

    preview.entry(title="Layer", body="three", issues=[[5, "A101", "gain has the wrong axis"]])
    preview.logs("content/layer.yml:5:3: A101 gain has the wrong axis")
    preview.logs("The last good site is still served")
    assert "two[second source]" in preview.get()[1]
    assert "Traceback" not in preview.log.read_text()

    preview.write("theme/main.html", "{{ 1 / 0 }}")
    preview.entry(title="Layer", body="three")
    preview.logs("ZeroDivisionError")
    preview.write("mkdocs.yml", "site_name: [")
    preview.logs("mkdocs.yml")
    preview.shows("two[second source]")


def test_a_first_build_with_issues_serves_them_escaped_until_they_are_fixed(preview: Preview) -> None:
    preview.entry(issues=[[5, "A101", "<script>alert(1)</script> is no axis"]])
    preview.start()
    preview.shows("content/layer.yml:5:3", path="")
    status, page = preview.get("any/where/")
    assert status == 404
    assert preview.log.read_text().count("content/layer.yml:5:3: A101") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt; is no axis" in page
    assert "<script>alert" not in page

    preview.entry(issues=[[6, "A102", "another"]])
    preview.shows("content/layer.yml:6:3", path="")

    preview.entry(body="fixed", fails=True)
    preview.shows("Node ended before", path="")

    preview.entry(body="fixed")
    preview.shows("<main>fixed[first source]</main>")


def test_a_first_build_that_is_wrong_in_prose_or_a_body_serves_what_is_wrong(preview: Preview) -> None:
    preview.write("content/index.md", "text\nWRONG")
    preview.start("--clean", "--no-livereload")
    preview.process.wait(PATIENCE)
    assert "content/index.md:2: A906" in preview.log.read_text()
    assert preview.process.returncode == 1
    preview.start()
    preview.shows("content/index.md:2", path="")


def test_a_preview_of_the_clean_build_is_served_without_rebuilding(preview: Preview) -> None:
    preview.entry(body="one")
    preview.start("--clean", "--no-livereload")
    preview.shows("<main>one[first source]</main>")


def test_a_page_that_is_deleted_during_a_build_keeps_the_last_good_site(preview: Preview) -> None:
    preview.write(
        "hook.py",
        "from pathlib import Path\n"
        "def on_files(files, config): (Path(config.docs_dir) / 'gone.md').unlink(missing_ok=True)\n",
    )
    settings = yaml.safe_load((preview.root / "mkdocs.yml").read_text(encoding="utf-8"))
    preview.write("mkdocs.yml", yaml.safe_dump(settings | {"hooks": ["hook.py"]}))
    preview.entry(body="one")
    preview.start()
    preview.shows("<main>one[first source]</main>")
    preview.write("content/gone.md", "words")
    preview.logs("A file was deleted or renamed during the build: ")
    preview.logs("The last good site is still served")
    preview.entry(body="two")
    preview.shows("<main>two[first source]</main>")
    assert "Traceback" not in preview.log.read_text()


def test_two_hundred_edits_in_ten_seconds_end_in_the_last_one(preview: Preview) -> None:
    preview.entry(body="begun")
    preview.start()
    preview.shows("<main>begun[first source]</main>")
    served: list[tuple[int, str]] = []
    for number in range(200):
        match number % 5:
            case 0:
                preview.entry(body=f"<p>{number}</p>")
            case 1:
                preview.entry(body="wrong", issues=[[5, "A101", f"edit {number}"]])
            case 2:
                preview.write("sources/note.txt", f"[source {number}]")
            case 3:
                (preview.root / f"content/page-{number}.md").write_text(f"page {number}", encoding="utf-8")
            case 4:
                (preview.root / f"content/page-{number - 1}.md").unlink()
        if number % 20 == 0:
            served.append(preview.get())
        time.sleep(0.03)  # how editors and people do it; nothing is expected of it
    preview.entry(body="ended")
    preview.shows("<main>ended[source 197]</main>")
    assert {status for status, _ in served} == {200}
    assert all("<main>" in page and page.endswith("</body>") for _, page in served)
    assert "wrong" not in "".join(page for _, page in served)
    assert "Traceback" not in preview.log.read_text()
    assert preview.get("page-198/")[0] == 404


def test_an_address_that_another_program_has_is_told_in_a_sentence(tmp_path: Path) -> None:
    preview = Preview(tmp_path)
    preview.entry(title="Layer", body="one")
    host, _, port = preview.address.partition(":")
    with socket.socket() as other:
        other.bind((host, int(port)))
        other.listen()
        preview.start()
        try:
            assert preview.process.wait(PATIENCE) == 1
        finally:
            preview.process.kill()
            preview.process.wait()
    log = preview.log.read_text()
    assert f"The preview cannot be served at {preview.address}: another program listens there; end it, or take" in log
    assert f"mkdocs serve --dev-addr {host}:{int(port) + 1}\n" in log
    assert "Traceback" not in log
    assert list((tmp_path / "tmp").iterdir()) == []
