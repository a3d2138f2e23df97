"""Files of someone who means harm: links, pipes, devices, endless files and names that are not what they seem."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError

from atlas.checks.run import Outcome
from atlas.entries.folders import below, is_device
from atlas.entries.load import load
from atlas.exceptions import FileTooLargeError
from atlas.files import read_bytes
from atlas.issues import Issue, show
from atlas.sources.cache import BlobCache

Check = Callable[[Path], Outcome]
HUGE = 100_000_000
MEMORY = 400_000_000
"""What the loader may take in all, Python and its libraries included, when files of HUGE bytes lie in its way."""


def found(project: Path) -> list[tuple[str, str]]:
    return [(issue.path, issue.code) for issue in load(project, project / "content", project / "sources")[1]]


def only(project: Path) -> Issue:
    (issue,) = load(project, project / "content", project / "sources")[1]
    return issue


@pytest.mark.parametrize("name", ["secret.txt", "secret.yml", "page.md", "img/secret.png"])
def test_a_link_that_leads_out_is_refused_whatever_it_is_called(project: Path, name: str) -> None:
    """MkDocs would copy what it leads to into the site."""
    secret = project / "secret"
    secret.write_text("a secret", encoding="utf-8")
    link = project / "content" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(secret)
    assert only(project).message == "the file is a link that leads out of its folder"
    with pytest.raises(PluginError, match="leads out of its folder"):
        load_config(config_file=str(project / "mkdocs.yml")).plugins.on_config(
            load_config(config_file=str(project / "mkdocs.yml"))
        )


def test_a_link_to_a_folder_is_refused_and_a_loop_ends(project: Path) -> None:
    (project / "content" / "transformer" / "again").symlink_to(project / "content", target_is_directory=True)
    (project / "content" / "outside").symlink_to(project, target_is_directory=True)
    assert found(project) == [("content/outside", "A001"), ("content/transformer/again", "A001")]


@pytest.mark.parametrize("name", ["pipe.yml", "pipe.md", "pipe"])
def test_a_pipe_is_refused_and_not_waited_for(project: Path, name: str) -> None:
    os.mkfifo(project / "content" / "transformer" / name)
    assert only(project).message == "this is no file but a pipe, a socket or a device"


def test_a_link_to_a_device_is_refused(project: Path) -> None:
    entry = project / "content" / "transformer" / "encoder" / "ffn-layer-norm.yml"
    entry.unlink()
    entry.symlink_to("/dev/zero")
    assert (only(project).path, only(project).code) == ("content/transformer/encoder/ffn-layer-norm.yml", "A001")


def test_pipes_in_place_of_a_licence_and_of_the_lock_are_not_waited_for(project: Path, check: Check) -> None:
    for name, code in (("licenses/MIT-chainer.txt", "A125"), ("pins.lock", "A502")):
        file = project / "sources" / name
        content = file.read_bytes()
        file.unlink()
        os.mkfifo(file)
        assert code in {issue.code for issue in check(project).issues}
        file.unlink()
        file.write_bytes(content)


def test_a_pipe_in_place_of_recorded_proofs_is_not_waited_for(project: Path, check: Check) -> None:
    os.mkfifo(project / "content" / "transformer" / "encoder" / "ffn-layer-norm.proofs.json")
    codes = {issue.code for issue in check(project).issues}
    assert "A001" in codes


@pytest.mark.parametrize("name", ["con.yml", "NUL.yml", "com1.x.yml", "aux.yaml"])
def test_names_of_devices_are_refused(project: Path, name: str) -> None:
    (project / "content" / "transformer" / "encoder" / name).write_text("title: x\n", encoding="utf-8")
    issue = only(project)
    assert issue.code == "A114"
    assert issue.message.startswith("Windows keeps the name")


def test_what_is_a_device_to_windows() -> None:
    assert [
        name for name in ("con", "CON.yml", "lpt9", "nul .txt", "console", "com10", "aux-1") if is_device(name)
    ] == [
        "con",
        "CON.yml",
        "lpt9",
        "nul .txt",
    ]


def test_a_name_that_looks_like_another_is_told_by_its_code_points(project: Path) -> None:
    folder = project / "content" / "transformer" / "encoder"
    (folder / "attention-layer-norm.yml").rename(folder / "attention-l\u0430yer-norm.yml")
    issue = only(project)
    assert (issue.path, issue.code) == ("content/transformer/model.yml", "A112")
    assert "whose name holds U+0430" in issue.hint
    assert show([issue]).isascii() is False


@pytest.mark.parametrize(
    "text",
    [
        "title: Layer\u00adNorm",
        "title: Layer\u2800Norm",
        "title: Layer\u3164Norm",
        "title: Layer\u180eNorm",
        "title: Layer\u200dNorm",
        "title: Layer\ufe0fNorm",
        "title: Layer\U000e0101Norm",
        "title: Layer\ufff9Norm",
        "title: Layer\u206aNorm",
        'title: "Layer\\u202eNorm"',
        'title: "Layer\\0Norm"',
    ],
)
def test_what_cannot_be_seen_is_refused(project: Path, text: str) -> None:
    file = project / "content" / "transformer" / "encoder" / "ffn-layer-norm.yml"
    file.write_text(file.read_text("utf-8").replace("title: LayerNorm", text), encoding="utf-8")
    issue = only(project)
    assert (issue.line, issue.code) in {(1, "A012"), (1, "A004")}


def test_joiners_of_scripts_and_pictures_are_read(project: Path) -> None:
    file = project / "content" / "transformer" / "encoder" / "ffn-layer-norm.yml"
    words = "title: \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2714\ufe0f"
    file.write_text(file.read_text("utf-8").replace("title: LayerNorm", words), encoding="utf-8")
    assert found(project) == []


@pytest.mark.parametrize("text", ['title: "\\ud800"\n', "title: \x00\n", 'title: "\\ud83d\\ude00"\n'])
def test_half_characters_and_nul_are_issues(project: Path, text: str) -> None:
    file = project / "content" / "transformer" / "encoder" / "ffn-layer-norm.yml"
    file.write_text(file.read_text("utf-8").replace("title: LayerNorm\n", text), encoding="utf-8")
    assert only(project).line in (0, 1)


def huge(file: Path) -> None:
    """A file that says it has HUGE bytes and takes none on the disk."""
    with file.open("wb") as opened:
        opened.truncate(HUGE)


LOADER = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from atlas.entries.load import load
root = Path(sys.argv[1])
print(*(f"{issue.code} {issue.path}" for issue in load(root, root / "content", root / "sources")[1]), sep="\\n")
"""


def test_huge_files_are_refused_in_little_memory(project: Path) -> None:
    """An entry, a manifest and a licence of 100 MB each."""
    for name in (
        "content/transformer/encoder/ffn-layer-norm.yml",
        "sources/new.yml",
        "sources/licenses/MIT-chainer.txt",
    ):
        huge(project / name)
    ran = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", LOADER, str(project), str(MEMORY)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert sorted(ran.stdout.splitlines()) == [
        "A001 content/transformer/encoder/ffn-layer-norm.yml",
        "A001 sources/new.yml",
        "A125 sources/chainer.yml",
    ]


def test_a_huge_lock_and_huge_records_are_refused(project: Path, check: Check) -> None:
    huge(project / "content" / "transformer" / "encoder" / "ffn-layer-norm.proofs.json")
    assert [issue.code for issue in check(project).issues if "ffn-layer-norm" in issue.path] == ["A703"]
    huge(project / "sources" / "pins.lock")
    assert "has more than 16,000,000 bytes" in show(check(project).issues)


def test_a_huge_page_is_refused_before_it_is_read(project: Path) -> None:
    huge(project / "content" / "page.md")
    config = load_config(config_file=str(project / "mkdocs.yml"))
    with pytest.raises(PluginError, match=r"content/page\.md: the file has 100,000,000 bytes; at most 2,000,000"):
        config.plugins.on_config(config)


def test_a_huge_file_in_the_cache_is_not_taken(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path)
    blob = "ab" * 20
    cache.place(blob).parent.mkdir(parents=True)
    huge(cache.place(blob))
    assert cache.get(blob) is None


def test_no_more_is_read_than_a_limit_says(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_bytes(file, 5) == b"12345"
    with pytest.raises(FileTooLargeError, match="has more than 4 bytes"):
        read_bytes(file, 4)
    for path in (tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match=r"no file but a pipe|Is a directory"):
            read_bytes(path, 10)


def test_everything_below_a_folder_is_seen(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "file").touch()
    (tmp_path / "a").symlink_to(tmp_path / "b" / "file")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert [(str(one.path.relative_to(tmp_path)), one.problem) for one in below(tmp_path)] == [
        ("a", ""),
        ("b/file", ""),
    ]
