"""The command line as people, scripts and GitHub Actions meet it: what is printed where, and every exit code."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.checks.record_files import SUFFIX
from atlas.checks.records import load_records
from atlas.cli import COMMANDS, main
from atlas.commands import checking
from atlas.commands.progress import ProgressDisplay
from atlas.exceptions import NodeError
from atlas.issues import Issue
from atlas.kept import Kept
from atlas.sources.blob import blob_id
from atlas.sources.pins import load_lock

Atlas = Callable[..., Result]

PROJECT = Path(__file__).resolve().parent / "project"

FFN, ATTENTION = "transformer/encoder/ffn-layer-norm", "transformer/encoder/attention-layer-norm"
FFN_FILE, CHAINER_FILE = f"content/{FFN}.yml", "content/chainer/layer-normalization.yml"
WRONG = ("epsilon: inside the root", "epsilon: outside the root")


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in the project's folder, or in another."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)

    def run(*arguments: str, cwd: str | Path = ".") -> Result:
        monkeypatch.chdir(real_project.root / cwd)
        return CliRunner().invoke(main, arguments, prog_name="atlas")

    return run


def pinned(project: Any, source: str) -> list[str]:
    """The number of each line of a manifest that pins a file."""
    lines = (project.root / "sources" / f"{source}.yml").read_text(encoding="utf-8").splitlines()
    return [str(number) for number, line in enumerate(lines, 1) if "blob:" in line]


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Path, bytes]:
    """The recorded proofs of the project as it is, by their paths in it."""
    root = tmp_path_factory.mktemp("recorded") / "project"
    shutil.copytree(PROJECT, root)
    result = CliRunner().invoke(main, ["verify", "--record", "--project", str(root)])
    assert result.exit_code == 0, result.output
    made = {file.relative_to(root): file.read_bytes() for file in sorted(root.rglob(f"*{SUFFIX}"))}
    assert len(made) == 3
    return made


@pytest.fixture
def recorded(real_project: Any, records: Mapping[Path, bytes]) -> None:
    """Proofs of the project as it is; without them every check tells that they are missing."""
    for path, content in records.items():
        (real_project.root / path).write_bytes(content)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without sources, whose Node environment is the real one."""
    environment = checking.node_environment(offline=False)
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "node").symlink_to(environment.modules.parents[1], target_is_directory=True)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(folder))
    return folder


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No result of an earlier run is at hand, so that Node is needed."""
    monkeypatch.setattr(checking, "Kept", partial(Kept, tmp_path / "kept"))


def error_line(result: Result) -> str:
    """The last line of what a refused command says; it ends without a traceback and prints no result."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def test_version_and_help_are_enough_to_begin_with(atlas: Atlas) -> None:
    assert atlas("--version").stdout == "atlas, version 0.1.0\n"
    for arguments in ([], *([name] for name in COMMANDS), ["new", "component"], ["new", "source"]):
        for flag in ("--help", "-h"):
            shown = atlas(*arguments, flag)
            assert shown.exit_code == 0
            assert shown.stdout.startswith(f"Usage: {' '.join(['atlas', *arguments])} ")
            assert "\\b" not in shown.stdout, "click's mark of a paragraph whose lines stay"
    assert {*COMMANDS} <= set(atlas("--help").stdout.split())


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).with_name("atlas")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)  # noqa: S603  our own
    assert (done.returncode, done.stdout, done.stderr) == (0, "atlas, version 0.1.0\n", "")


@pytest.mark.usefixtures("recorded")
def test_a_sound_project_passes(atlas: Atlas, real_project: Any) -> None:
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{len(real_project.atlas().entries)} entries, 2 sources: no issues\n"
    result = atlas("check", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    result = atlas("check", "--format", "github")
    assert (result.exit_code, result.stdout) == (0, "")
    result = atlas("check", FFN)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"no issues in {FFN_FILE}\n")


@pytest.mark.usefixtures("recorded")
def test_issues_are_printed_as_text(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    result = atlas("check")
    assert result.exit_code == 1
    line = real_project.line(FFN_FILE, "epsilon: outside")
    assert result.stdout.startswith(f"{FFN_FILE}:{line}:")
    lines = result.stdout.splitlines()
    assert re.match(r"\S+:\d+: A139 .*layer_norm", lines[0])
    assert lines[1].endswith("epsilon: outside the root, variance: biased}")
    assert lines[2].index("^") == lines[1].index("outside")
    assert lines[3].startswith("  correct it")
    assert result.stderr == "1 issue in 1 file\n"


def test_issues_of_several_files_are_counted(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    real_project.edit("content/transformer/model.yml", "kind: ", "knd: ")
    result = atlas("check")
    assert result.exit_code == 1
    assert result.stderr.endswith(" in 3 files\n") or result.stderr.endswith(" in 2 files\n")
    assert len([line for line in result.stdout.splitlines() if line.startswith("content/")]) == int(
        result.stderr.split()[0]
    )


@pytest.mark.usefixtures("recorded")
def test_json_is_all_that_standard_output_holds(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    result = atlas("check", "--format", "json")
    assert result.exit_code == 1
    [found] = json.loads(result.stdout)
    fields = set(Issue.__dataclass_fields__) | {"severity"}
    assert set(found) == fields
    assert (found["path"], found["code"], found["severity"]) == (FFN_FILE, "A139", "error")
    assert found["line"] == real_project.line(FFN_FILE, "epsilon: outside")
    assert result.stderr == "1 issue in 1 file\n"


@pytest.mark.parametrize(("style", "shown"), [("json", "γ".encode()), ("text", rb"\u03b3")])
def test_a_terminal_without_greek_is_no_obstacle(real_project: Any, style: str, shown: bytes) -> None:
    real_project.edit(CHAINER_FILE, "y &= \\gamma\\odot", "y &= γ\\odot")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", "from atlas.cli import main; main()", "check", "--format", style]
    done = subprocess.run(  # noqa: S603  our own command
        command, cwd=real_project.root, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert shown in done.stdout
    assert b"Traceback" not in done.stderr


def test_github_gets_errors_and_warnings(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    result = atlas("check", "--format", "github")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    line = real_project.line(CHAINER_FILE, "epsilon: inside")
    [error] = [one for one in lines if one.startswith("::error ")]
    assert error.startswith(f"::error file={CHAINER_FILE},line={line},col=")
    assert ",title=A139::" in error
    warnings = [one for one in lines if one.startswith("::warning ")]
    assert len(warnings) == len(lines) - 1 == 2
    assert warnings[-1].startswith(f"::warning file={FFN_FILE},line=")


def test_github_resolves_paths_from_the_checkout(
    atlas: Atlas, real_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = real_project.root
    result = atlas("check", "--format", "github", "--project", "project", cwd="..")
    assert f"::warning file=project/{FFN_FILE},line=" in result.stdout
    monkeypatch.setenv("GITHUB_WORKSPACE", str(root.parent))
    assert f"::warning file=project/{FFN_FILE},line=" in atlas("check", "--format", "github").stdout
    assert f"\n{FFN_FILE}:" in atlas("check", "--project", "project", cwd="..").stdout


def test_warnings_count_unless_they_are_allowed(atlas: Atlas, real_project: Any) -> None:
    result = atlas("check")
    assert result.exit_code == 1
    assert {word for word in result.stdout.split() if word.startswith("A7")} == {"A702"}
    allowed = atlas("check", "--allow-warnings")
    assert (allowed.exit_code, allowed.stdout, allowed.stderr) == (0, result.stdout, result.stderr)
    real_project.edit(FFN_FILE, *WRONG)
    assert atlas("check", "--allow-warnings").exit_code == 1


@pytest.mark.usefixtures("recorded")
def test_paths_choose_what_is_listed_and_counted(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    assert atlas("check", "content/chainer").exit_code == 0
    assert atlas("check", "chainer/layer-normalization", "sources").exit_code == 0
    for name in (FFN_FILE, FFN, "transformer", "content", "."):
        result = atlas("check", name)
        assert (result.exit_code, result.stderr) == (1, "1 issue in 1 file\n"), name
    # What it inherits is its own claim too.
    assert atlas("check", ATTENTION).exit_code == 1


@pytest.mark.usefixtures("recorded")
def test_an_entry_is_not_sound_while_its_source_is_not(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("sources/tensor2tensor.yml", "0c66117d", "0c66117e")
    result = atlas("check", FFN)
    assert result.exit_code == 1
    assert "sources/tensor2tensor.yml:3:11: A502 " in result.stdout
    assert atlas("check", "chainer").exit_code == 0


@pytest.mark.parametrize("name", ["nowhere.yml", "transformer/encoder/ffn-layer-nrm", "mkdocs.yml"])
@pytest.mark.parametrize("command", ["check", "verify"])
def test_a_path_that_is_no_part_of_the_project_is_a_usage_error(atlas: Atlas, command: str, name: str) -> None:
    line = error_line(atlas(command, name))
    assert line.startswith("Error: ")
    assert name in line


def test_wrong_usage_is_told(atlas: Atlas) -> None:
    assert "'xml' is not one of" in error_line(atlas("check", "--format", "xml"))
    assert "No such option" in error_line(atlas("check", "--formt", "json"))
    assert "No such command" in error_line(atlas("chek"))
    assert "does not exist" in error_line(atlas("check", "--project", "nowhere"))


@pytest.mark.usefixtures("recorded")
def test_a_project_is_found_from_inside_and_named_from_outside(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    expected = atlas("check").stdout
    assert expected.startswith(f"{FFN_FILE}:")
    for cwd in ("content", "content/transformer/encoder", "sources/licenses"):
        assert atlas("check", cwd=cwd).stdout == expected
    assert atlas("check", "ffn-layer-norm.yml", cwd="content/transformer/encoder").stdout == expected
    assert atlas("check", "--project", str(real_project.root), cwd="..").stdout == expected
    assert atlas("check", "--project", "project", "project/content/transformer", cwd="..").stdout == expected


def test_outside_of_any_project_the_option_is_told(atlas: Atlas) -> None:
    line = error_line(atlas("check", cwd=".."))
    assert line.startswith("Error: there is no mkdocs.yml in ")
    assert line.endswith("; name the project's folder with --project")
    assert error_line(atlas("check", "--project", "content")).startswith("Error: there is no mkdocs.yml in ")


def test_a_configuration_that_cannot_be_read_is_told(atlas: Atlas, real_project: Any) -> None:
    (real_project.root / "mkdocs.yml").write_text("plugins: [", encoding="utf-8")
    assert "mkdocs.yml cannot be read: while parsing" in error_line(atlas("check"))


def test_folders_that_are_not_there_are_issues(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("mkdocs.yml", "sources: sources", "sources: pins")
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (1, "pins: A001 there is no such folder\n")
    for command in ("fetch", "pin"):
        assert error_line(atlas(command)) == "Error: there is no folder pins of source manifests"
    real_project.edit("mkdocs.yml", "docs_dir: content", "docs_dir: contents")
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (1, "contents: A001 there is no such folder\n")


@pytest.mark.usefixtures("nothing_kept")
def test_without_node_nothing_can_be_checked(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(**_: object) -> None:
        raise NodeError("no Node.js 20.19 or newer")

    monkeypatch.setattr(checking, "prepare", nowhere)
    for command in ("check", "verify"):
        assert error_line(atlas(command)) == "Error: no Node.js 20.19 or newer"


@pytest.mark.usefixtures("nothing_kept")
def test_what_the_system_refuses_is_told(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr(checking, "prepare", refused)
    assert error_line(atlas("check")) == "Error: [Errno 13] Permission denied: '/somewhere'"


@pytest.mark.usefixtures("nothing_kept")
def test_an_interrupt_ends_with_the_code_of_one(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "prepare", interrupted)
    assert atlas("check").exit_code == 130


def test_offline_with_an_empty_cache_each_source_is_missing(atlas: Atlas, empty_cache: Path, real_project: Any) -> None:
    result = atlas("check", "--offline")
    assert result.exit_code == 1
    lines = [line for line in result.stdout.splitlines() if ": A503 " in line]
    files = len(pinned(real_project, "tensor2tensor"))
    assert [line.split(":")[0] for line in lines] == ["sources/chainer.yml", *["sources/tensor2tensor.yml"] * files]
    assert f"is not in the cache ({empty_cache / 'sources'})" in lines[0]
    assert "\n  run `atlas fetch chainer` where there is one\n" in result.stdout
    assert lines[0].startswith(f"sources/chainer.yml:{real_project.line('sources/chainer.yml', 'blob:')}:")

    assert ": A503 " in atlas("check", "--offline", FFN).stdout
    linked = atlas("check", "--offline", "--missing-sources", "link", "--allow-warnings")
    assert linked.exit_code == 0
    assert {line.split(": ")[1][:4] for line in linked.stdout.splitlines() if ": A" in line} == {"A702"}
    real_project.edit("mkdocs.yml", "sources: sources", "sources: sources\n      missing_sources: link")
    assert atlas("check", "--offline", "--allow-warnings").exit_code == 0
    assert atlas("check", "--offline", "--missing-sources", "fail").exit_code == 1

    refused = atlas("verify", "--offline")
    assert refused.exit_code == 1
    assert ": A503 " in refused.stdout
    assert refused.stderr == f"{1 + files} issues in 2 files; nothing is executed before the checks pass\n"


def test_offline_without_a_node_environment_nothing_is_brought(
    atlas: Atlas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "empty"))
    line = error_line(atlas("check", "--offline"))
    assert "is not in the cache, and --offline forbids to bring it; run `atlas fetch` where there is a network" in line
    assert not list((tmp_path / "empty" / "node").glob("packages-*/"))


@pytest.mark.parametrize("plugins", ["", "plugins: [search]\n"])
def test_a_project_that_mkdocs_builds_without_the_atlas_is_warned_of(
    atlas: Atlas, real_project: Any, plugins: str
) -> None:
    assert "plugin" not in atlas("pin").stderr
    (real_project.root / "mkdocs.yml").write_text(f"docs_dir: content\n{plugins}", encoding="utf-8")
    result = atlas("pin")
    assert result.exit_code == 0
    assert result.stderr == (
        f"{real_project.root / 'mkdocs.yml'} does not list the plugin atlas, so MkDocs makes no pages; "
        "add `plugins: [atlas]`\n"
    )


def test_fetch_tells_what_is_in_the_cache(atlas: Atlas, real_project: Any) -> None:
    files = len(pinned(real_project, "tensor2tensor"))
    result = atlas("fetch")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith(f"{1 + files} files of 2 sources in the cache\n")
    assert atlas("fetch", "--offline").stderr == f"{1 + files} files of 2 sources in the cache\n"
    assert atlas("fetch", "--offline", "tensor2tensor").stderr == f"{files} files of 1 source in the cache\n"


def test_fetch_brings_what_is_missing(atlas: Atlas, empty_cache: Path, real_project: Any) -> None:
    files = len(pinned(real_project, "tensor2tensor"))
    result = atlas("fetch", "tensor2tensor")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (
        result.stderr == f"bringing tensor2tensor-1.0.14-py2.py3-none-any.whl\n{files} files of 1 source in the cache\n"
    )
    assert (empty_cache / "sources/1e/70505701300c3079d0ff497663263f44d2fc9e").is_file()
    assert ": A503 " not in atlas("check", "--offline", "transformer").stdout


def test_fetch_into_a_cache_that_cannot_be_written_has_not_done_its_work(atlas: Atlas, empty_cache: Path) -> None:
    (empty_cache / "sources").write_text("no folder", encoding="utf-8")
    result = atlas("fetch", "chainer")
    line = error_line(result)
    assert "1 file of 1 source brought\n" in result.stderr
    assert line.startswith(f"Error: nothing was kept, as the cache {empty_cache / 'sources'} cannot be written (")
    assert line.endswith("; set OPENMODELATLAS_CACHE to a folder that can be")


def test_an_interrupt_while_a_command_is_imported_ends_without_a_traceback(real_project: Any, tmp_path: Path) -> None:
    hooks = tmp_path / "sitecustomize.py"
    hooks.write_text(
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'numpy':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-c", "from atlas.cli import main; main()", "check"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(  # noqa: S603 - the code above
        command, cwd=real_project.root, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


def test_fetch_lists_every_failure_at_its_line(atlas: Atlas, empty_cache: Path, real_project: Any) -> None:
    result = atlas("fetch", "--offline")
    assert result.exit_code == 1
    lines = [line for line in result.stdout.splitlines() if ": A503 " in line]
    found = [tuple(line.split(":")[:2]) for line in lines]
    files = pinned(real_project, "tensor2tensor")
    assert found == [
        ("sources/chainer.yml", str(real_project.line("sources/chainer.yml", "blob:"))),
        *(("sources/tensor2tensor.yml", line) for line in files),
    ]
    assert result.stderr == f"0 files of 2 sources in the cache; {1 + len(files)} issues in 2 files\n"


def test_fetch_names_both_hashes_of_an_edited_blob(atlas: Atlas, real_project: Any, empty_cache: Path) -> None:
    edited = "1e70505701300c3079d0ff497663263f44d2fc9e"
    files = len(pinned(real_project, "tensor2tensor")) - 1
    real_project.edit("sources/tensor2tensor.yml", edited, "f" * 40)
    result = atlas("fetch", "tensor2tensor")
    assert result.exit_code == 1
    line = real_project.line("sources/tensor2tensor.yml", "f" * 40)
    assert result.stdout.startswith(f"sources/tensor2tensor.yml:{line}:")
    assert ": A501 " in result.stdout
    assert edited in result.stdout
    counted = f"{files} file{'s' * (files > 1)} of 1 source in the cache"
    assert result.stderr.endswith(f"{counted}; 1 issue in 1 file\n")


def test_a_broken_manifest_does_not_keep_the_others_from_being_fetched(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("sources/chainer.yml", "license: MIT", "licence: MIT")
    real_project.edit(FFN_FILE, *WRONG)
    files = len(pinned(real_project, "tensor2tensor"))
    result = atlas("fetch", "--offline")
    assert result.exit_code == 1
    assert result.stdout.startswith("sources/chainer.yml:")
    assert "content/" not in result.stdout
    assert result.stderr.startswith(f"{files} files of 1 source in the cache; ")
    assert atlas("fetch", "--offline", "tensor2tensor").exit_code == 0
    assert atlas("fetch", "--offline", "chainer").exit_code == 1


@pytest.mark.parametrize("command", ["fetch", "pin"])
def test_an_unknown_source_is_a_usage_error(atlas: Atlas, command: str) -> None:
    line = error_line(atlas(command, "tensor2tenso"))
    assert line == "Error: there is no source tensor2tenso; did you mean tensor2tensor?"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with ProgressDisplay() as progress:
        progress("one.whl", 256, 1024)
        progress("one.whl", 1024, 1024)
        progress("owner/name", 0, None)
        progress("owner/name", 10, None)
        progress("two.whl", 1024, 2048)
        progress("two.whl", 16, 2048)
        progress("two.whl", 2048, 2048)
    shown = terminal.getvalue()
    assert "one.whl" in shown.split("owner/name")[0]
    assert "25%" in shown
    assert shown.count("100%") == 2
    assert shown.count("bringing owner/name\n") == 1
    assert "bringing one.whl" not in shown


def test_pin_tells_what_was_proved(atlas: Atlas, real_project: Any) -> None:
    result = atlas("pin")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + len(pinned(real_project, "tensor2tensor"))
    assert lines[0].startswith("chainer: chainer/links/normalization/layer_normalization.py: proved on ")
    assert len(atlas("pin", "chainer").stdout.splitlines()) == 1


def test_pin_tells_edits_releases_and_what_was_never_proved(atlas: Atlas, real_project: Any) -> None:
    manifest = "sources/tensor2tensor.yml"
    real_project.edit(manifest, "0c66117d4297d6f778d415790bfbce6cfafe1239", "1c66117d4297d6f778d415790bfbce6cfafe1239")
    result = atlas("pin")
    files = len(pinned(real_project, "tensor2tensor"))
    assert (result.exit_code, result.stderr) == (1, f"{files} issues in 1 file\n")
    issues = [line for line in result.stdout.splitlines() if line.startswith("sources/")]
    assert len(issues) == files
    edited = f"{manifest}:3:11: A502 the pin of tensor2tensor/models/common_layers.py was edited"
    assert sum(issue.startswith(edited) for issue in issues) == 1
    assert atlas("pin", "chainer").exit_code == 0

    real_project.edit(manifest, "1c66117d4297d6f778d415790bfbce6cfafe1239", "v1.0.14")
    assert atlas("pin", "tensor2tensor").exit_code == 1
    (real_project.root / "sources" / "pins.lock").unlink()
    result = atlas("pin", "tensor2tensor")
    assert result.exit_code == 0
    assert "tensor2tensor/models/transformer.py: not proved against git to be in release v1.0.14" in result.stdout

    result = atlas("pin", "chainer")
    assert result.exit_code == 1
    assert ": A502 it was never proved that chainer/links" in result.stdout

    (real_project.root / "sources/pins.lock").write_text("- a", encoding="utf-8")
    assert "pins.lock has a record that is not one" in error_line(atlas("pin"))


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  fixed arguments
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "layer.py").write_text("def layer(x):\n    return x\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "A layer")
    git(folder, "tag", "v1")
    return folder


def manifest_of(clone: Path, **changes: str) -> str:
    values: Mapping[str, str] = {
        "revision": git(clone, "rev-parse", "HEAD"),
        "blob": blob_id((clone / "layer.py").read_bytes()),
        **changes,
    }
    return (
        "title: Small\nrepository: https://git.example/owner/small\n"
        f"revision: '{values['revision']}'\nlicense: MIT\nlicense_text: licenses/MIT-chainer.txt\n"
        f"copyright: 2020 Nobody\nfiles:\n  layer.py: {{blob: '{values['blob']}'}}\n"
    )


def test_pin_proves_against_a_clone(atlas: Atlas, real_project: Any, clone: Path) -> None:
    sources = real_project.root / "sources"
    (sources / "small.yml").write_text(manifest_of(clone), encoding="utf-8")
    assert atlas("pin", "small").exit_code == 1
    before = load_lock(sources / "pins.lock")

    result = atlas("pin", "small", "--prove", "--git-dir", str(clone))
    assert result.exit_code == 0, result.output
    assert result.stdout == f"small: 1 file proved to belong to {git(clone, 'rev-parse', 'HEAD')}\n"
    assert result.stderr == f"small: asking git about {clone}\n"
    lock = load_lock(sources / "pins.lock")
    assert [record.source for record in lock.records] == sorted(
        [*(record.source for record in before.records), "small"]
    )
    assert set(before.records) < set(lock.records)
    assert atlas("pin", "small").exit_code == 0


def test_a_disproved_pin_loses_its_record(atlas: Atlas, real_project: Any, clone: Path) -> None:
    sources = real_project.root / "sources"
    right = manifest_of(clone)
    (sources / "small.yml").write_text(right, encoding="utf-8")
    assert atlas("pin", "small", "--prove", "--git-dir", str(clone)).exit_code == 0
    (sources / "small.yml").write_text(manifest_of(clone, blob="1" * 40), encoding="utf-8")
    result = atlas("pin", "small", "--prove", "--git-dir", str(clone))
    assert result.exit_code == 1
    assert result.stdout.startswith("sources/small.yml:8:20: A502 the blob of layer.py at revision ")
    assert "1" * 40 in result.stdout
    assert blob_id((clone / "layer.py").read_bytes()) in result.stdout
    assert load_lock(sources / "pins.lock").record("small", "layer.py") is None

    (sources / "small.yml").write_text(right, encoding="utf-8")
    assert atlas("pin", "small", "--prove", "--git-dir", str(clone)).exit_code == 0
    (sources / "small.yml").write_text(manifest_of(clone, revision="v1"), encoding="utf-8")
    result = atlas("pin", "small", "--prove", "--git-dir", str(clone))
    assert result.exit_code == 1
    assert "sources/small.yml:3:" in result.stdout
    assert f"write `revision: {git(clone, 'rev-parse', 'HEAD')}` and `release: v1`" in result.stdout
    assert load_lock(sources / "pins.lock").record("small", "layer.py") is not None, "the tag disproves nothing"


def test_pin_needs_one_source_for_a_clone(atlas: Atlas, clone: Path) -> None:
    message = "Error: --git-dir goes with --prove and exactly one SOURCE"
    assert error_line(atlas("pin", "--prove", "--git-dir", str(clone))) == message
    assert error_line(atlas("pin", "--prove", "--git-dir", str(clone), "chainer", "tensor2tensor")) == message
    assert error_line(atlas("pin", "--git-dir", str(clone), "chainer")) == message
    assert error_line(atlas("pin", "chainer", "--prove", "--git-dir", "nowhere")).endswith("does not exist.")


def test_a_damaged_lock_is_not_written_over_for_one_source(atlas: Atlas, real_project: Any, clone: Path) -> None:
    sources = real_project.root / "sources"
    (sources / "small.yml").write_text(manifest_of(clone), encoding="utf-8")
    (sources / "pins.lock").write_text("- a\n", encoding="utf-8")
    assert "pins.lock has a record" in error_line(atlas("pin", "small", "--prove", "--git-dir", str(clone)))
    assert (sources / "pins.lock").read_text(encoding="utf-8") == "- a\n"


def test_proving_all_writes_a_damaged_lock_anew(
    atlas: Atlas, real_project: Any, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = real_project.root / "sources"
    for name in ("chainer", "tensor2tensor"):
        (sources / f"{name}.yml").unlink()
    (sources / "small.yml").write_text(
        manifest_of(clone).replace("https://git.example/owner/small", "https://git.example/small"), encoding="utf-8"
    )
    (sources / "pins.lock").write_text("- a\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(clone.parent / "gitconfig"))
    (clone.parent / "gitconfig").write_text(
        f'[url "file://{clone}"]\n    insteadOf = https://git.example/small\n'
        "[uploadpack]\n    allowAnySHA1InWant = true\n    allowFilter = true\n",
        encoding="utf-8",
    )
    result = atlas("pin", "--prove")
    assert result.exit_code == 0, result.output
    [record] = load_lock(sources / "pins.lock").records
    assert (record.source, record.method) == ("small", "git https://git.example/small")
    assert atlas("pin").exit_code == 0


def proofs(real_project: Any) -> Iterator[Path]:
    return real_project.root.rglob("*.proofs.json")  # type: ignore[no-any-return]  # the fixture is Any here


def test_verify_prints_a_line_for_each_execution(atlas: Atlas, real_project: Any) -> None:
    result = atlas("verify")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 9
    assert lines[0].startswith("chainer/layer-normalization: result of LayerNormalization: largest relative error ")
    assert lines[1].startswith("chainer/layer-normalization: result of LayerNormalization with its own epsilon: ")
    assert lines[2].startswith("chainer/layer-normalization: gradient of LayerNormalization with its own epsilon: ")
    assert all(float(line.rsplit(" ", 1)[1]) < 1e-14 for line in lines)
    assert result.stderr == f"9 executions of {len(real_project.atlas().entries)} entries: all agree\n"
    assert list(proofs(real_project)) == []

    result = atlas("verify", "--format", "json", ATTENTION)
    assert json.loads(result.stdout) == []
    assert len(result.stderr.splitlines()) == 4
    assert atlas("verify", "chainer", FFN).stderr == "6 executions of 2 entries: all agree\n"


def test_recording_is_idempotent_and_makes_the_check_pass(atlas: Atlas, real_project: Any) -> None:
    result = atlas("verify", "--record", FFN)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (0, f"{FFN}: 3 proofs recorded")
    assert [path.name for path in proofs(real_project)] == ["ffn-layer-norm.proofs.json"]
    assert FFN not in atlas("check").stdout.replace(FFN_FILE, "")
    assert atlas("verify", "--record").exit_code == 0
    assert atlas("check").exit_code == 0

    old = {path: path.read_text(encoding="utf-8").replace('"date": "2', '"date": "1') for path in proofs(real_project)}
    assert len(old) == 3
    for path, text in old.items():
        path.write_text(text, encoding="utf-8")
    result = atlas("verify", "--record")
    assert result.stderr == f"9 executions of {len(real_project.atlas().entries)} entries: all agree\n"
    assert {path: path.read_text(encoding="utf-8") for path in proofs(real_project)} == old
    assert {record.date.year // 1000 for record in load_records(real_project.entry(FFN))} == {1}


@pytest.mark.usefixtures("recorded")
def test_upstream_that_differs_is_told_and_not_recorded(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 1e-5}")
    real_project.edit(FFN_FILE, r"\varepsilon &= 10^{-6}", r"\varepsilon &= 10^{-5}")
    real_project.edit("content/transformer/encoder/attention-layer-norm.yml", r"10^{-6}", r"10^{-5}")
    stale = atlas("check", FFN)
    assert stale.exit_code == 1
    assert (
        ": A701 the recorded proofs of layer_norm_compute_python, layer_norm and layer_norm_compute_grad are stale: "
        in stale.stdout
    )

    result = atlas("verify", "--record", FFN)
    assert result.exit_code == 1
    line = real_project.line(FFN_FILE, "- excerpt: layer-norm", 2)
    assert f"\n{FFN_FILE}:{line}:5: A705 upstream’s layer_norm and our operator layer_norm differ: " in result.stdout
    assert f"{FFN}: result of layer_norm with its own epsilon: largest relative error " in result.stdout
    assert ": differs\n" in result.stdout
    assert result.stderr.endswith("3 executions of 1 entry: 1 issue in 1 file\n")
    assert f"{FFN}: 2 proofs recorded\n{FFN}: nothing is recorded of layer_norm\n" in result.stderr
    kept = load_records(real_project.entry(FFN))
    assert [record.call for record in kept] == ["layer_norm_compute_python", "layer_norm_compute_grad", "layer_norm"]
    # What was proved before is still told to be stale, and not to be missing.
    assert ": A701 the recorded proof of layer_norm is stale: " in atlas("check", FFN).stdout

    github = atlas("verify", "--format", "github", FFN)
    assert github.exit_code == 1
    assert github.stdout.startswith(f"::error file={FFN_FILE},line={line},col=5,title=A705::")
    assert len(github.stdout.splitlines()) == 1


def test_what_cannot_be_executed_is_told(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, "call: layer_norm\n", "call: layer_nrm\n")
    result = atlas("verify", FFN)
    assert result.exit_code == 1
    assert f"{FFN}: result of layer_nrm with its own epsilon: not executed\n" in result.stdout
    assert ": A704 tensor2tensor/models/common_layers.py defines no layer_nrm" in result.stdout


@pytest.mark.usefixtures("recorded")
def test_nothing_is_executed_while_a_check_fails(
    atlas: Atlas, real_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def executed(*_: object) -> None:
        raise AssertionError("upstream code was to be executed")

    monkeypatch.setattr("atlas.checks.verified.verify_entry", executed)
    before = {path: path.read_bytes() for path in proofs(real_project)}
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    result = atlas("verify", "--record", "chainer")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{CHAINER_FILE}:")
    assert ": A139 " in result.stdout
    assert result.stderr == "1 issue in 1 file; nothing is executed before the checks pass\n"
    assert {path: path.read_bytes() for path in proofs(real_project)} == before


def test_a_damaged_record_is_written_anew(atlas: Atlas, real_project: Any) -> None:
    path = real_project.root / "content/transformer/encoder/ffn-layer-norm.proofs.json"
    path.write_text("{", encoding="utf-8")
    result = atlas("check", FFN)
    assert result.exit_code == 1
    assert "content/transformer/encoder/ffn-layer-norm.proofs.json: A703 " in result.stdout
    assert atlas("verify", "--record", FFN).exit_code == 0
    assert len(load_records(real_project.entry(FFN))) == 3


def test_verify_needs_entries(atlas: Atlas) -> None:
    assert error_line(atlas("verify", "sources/chainer.yml")) == (
        "Error: no entry and no model is named by sources/chainer.yml"
    )


def test_schemas_describe_every_key(atlas: Atlas) -> None:
    every = json.loads(atlas("schema").stdout)
    assert list(every) == ["component", "model", "library", "source"]
    for kind, schema in every.items():
        alone = atlas("schema", kind)
        assert (alone.exit_code, alone.stderr, json.loads(alone.stdout)) == (0, "", schema)
        assert schema["additionalProperties"] is False
        assert schema["$schema"].startswith("https://json-schema.org/")
        for name, value in schema["properties"].items():
            assert "description" in value, f"{kind}.{name}"
    assert "in" in every["component"]["properties"]
    assert "in_" not in every["component"]["properties"]
    assert set(every["source"]["required"]) >= {"repository", "revision", "files"}
    assert "is not one of" in error_line(atlas("schema", "variant"))
