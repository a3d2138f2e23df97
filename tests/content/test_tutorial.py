"""The tutorial does what it says: its commands are run and its files written, in order, as a newcomer would.

In what a command prints, `…` on the page stands for anything, on a line of its own for any lines; the rest is exact.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest

from atlas.entries.blanks import BLANK

PAGE = Path(__file__).resolve().parents[2] / "content" / "contribute" / "tutorial.md"
FENCE = re.compile(r"^```(?P<language>\w+)(?: (?P<path>\S+?)(?::(?P<line>\d+))?)?\n(?P<text>.*?)^```$", re.M | re.S)
COMMENT = re.compile(r"(^|  )#.*", re.M)
"""A comment in YAML, as scaffolds have them."""
ADDRESS = "127.0.0.1:8000"
"""Where `mkdocs serve` is on the page; here it takes a port that is free."""


@dataclass(frozen=True)
class Command:
    line: str
    printed: str


@dataclass(frozen=True)
class Written:
    path: str
    line: int | None
    """The only line that is written; None for the whole file."""
    text: str
    above: str
    """What the page says just before."""


def steps(page: str) -> Iterator[Command | Written]:
    """What the page does, in order; a block of another language is no step."""
    for block in FENCE.finditer(page):
        if block["language"] == "console":
            head, *commands = re.split(r"^\$ ", block["text"], flags=re.M)
            assert head == "", f"{head!r} is printed by no command"
            yield from (Command(*one.split("\n", 1)) for one in commands)
        elif block["path"]:
            above = page[: block.start()].rstrip().rpartition("\n\n")[2]
            yield Written(block["path"], int(block["line"]) if block["line"] else None, block["text"], above)


def pattern(printed: str) -> re.Pattern[str]:
    """What a command has to print."""
    lines = (
        "(?:.*\n)*?" if line == "…" else ".*?".join(map(re.escape, line.split("…"))) + "\n"
        for line in printed.splitlines()
    )
    return re.compile("".join(lines))


def is_filled_in(scaffold: str, text: str) -> bool:
    """Whether a text has every line of a file with blanks, in order, with something in place of each blank.

    Comments may be left out.
    """
    rest = iter(COMMENT.sub("", text).splitlines())
    for line in filter(None, COMMENT.sub("", scaffold).splitlines()):
        wanted = re.compile(".+".join(map(re.escape, BLANK.sub("\0", line).split("\0"))))
        if not any(wanted.fullmatch(one) for one in rest):
            return False
    return True


@dataclass
class Newcomer:
    folder: Path
    environment: dict[str, str]

    def does(self, step: Command | Written) -> None:
        if isinstance(step, Written):
            self._writes(step)
        elif step.line.startswith("cd "):
            assert step.printed == ""
            self.folder /= step.line.removeprefix("cd ")
        elif step.line == "mkdocs serve":
            self._serves(step)
        else:
            done = self._run(step.line.split())
            printed, _ = done.communicate(timeout=300)
            assert pattern(step.printed).fullmatch(printed), f"$ {step.line}\n{printed}"
            assert done.returncode == (1 if re.search(r"^\d+ issues? in", step.printed, re.M) else 0)

    def _run(self, words: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603  (the page's own commands)
            words,
            cwd=self.folder,
            env=self.environment,
            text=True,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def _writes(self, step: Written) -> None:
        assert f"`{step.path}`" in step.above, f"the page does not say that {step.path} is written"
        file = self.folder / step.path
        before = file.read_text(encoding="utf-8")
        if step.line is None:
            assert BLANK.search(before), f"{step.path} has no blanks to fill in"
            assert is_filled_in(before, step.text), f"the page does not fill in what {step.path} is:\n{before}"
            file.write_text(step.text, encoding="utf-8")
        else:
            lines = before.splitlines(keepends=True)
            lines[step.line - 1] = step.text
            file.write_text("".join(lines), encoding="utf-8")

    def _serves(self, step: Command) -> None:
        """Preview until the page of the component is there, then stop as Ctrl+C would."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        served = self._run([*step.line.split(), "--dev-addr", address])
        assert served.stdout is not None
        printed = ""
        try:
            while "Serving on" not in printed and (line := served.stdout.readline()):
                printed += line.replace(address, ADDRESS)
            assert pattern(step.printed).fullmatch(printed), printed
            with urlopen(f"http://{address}/transformers/rms-norm/", timeout=60) as answer:
                assert "MixtralRMSNorm" in answer.read().decode()
        finally:
            served.terminate()
            served.stdout.close()
            served.wait(timeout=60)


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    """An empty folder, and commands as they are after installation; git reaches no repository, whatever the network."""
    git = tmp_path / "gitconfig"
    nowhere = (tmp_path / "nowhere").as_uri()
    git.write_text(f'[url "{nowhere}/"]\n\tinsteadOf = https://\n', encoding="utf-8")
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": str(git),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUTF8": "1",
    }
    folder = tmp_path / "home"
    folder.mkdir()
    return Newcomer(folder, environment)


def test_what_the_tutorial_says_is_what_happens(newcomer: Newcomer) -> None:
    done = list(steps(PAGE.read_text(encoding="utf-8")))
    commands = [step.line for step in done if isinstance(step, Command)]
    assert commands[0] == "atlas init my-atlas"
    assert commands[-1] == "mkdocs build --strict"
    assert [step.path for step in done if isinstance(step, Written)] == [
        "content/transformers/library.yml",
        "content/transformers/rms-norm.yml",
        "content/transformers/rms-norm.yml",
    ]
    for step in done:
        newcomer.does(step)
    page = newcomer.folder / "site/transformers/rms-norm/index.html"
    assert 'class="katex' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("printed", "shown", "agree"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a\n", "a\nb\n", False),
        ("a 12 b\n", "a … b\n", True),
        ("a 12 c\n", "a … b\n", False),
        ("a 1\n2 b\n", "a … b\n", False),
        ("x\ny\na\n", "…\na\n", True),
        ("a\n", "…\na\n", True),
        ("x\ny\n", "…\na\n", False),
        ("a.b\n", "a.b\n", True),
        ("acb\n", "a.b\n", False),
    ],
)
def test_only_what_is_left_out_may_differ(printed: str, shown: str, agree: bool) -> None:
    assert bool(pattern(shown).fullmatch(printed)) == agree


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("a: 1\nb: [x]\n", True),
        ("a: 1\nmore: 2\nb: [x]\n", True),
        ("b: [x]\n", False),
        ("a: 1\nb: []\n", False),
        ("b: [x]\na: 1\n", False),
    ],
)
def test_a_file_with_blanks_is_filled_in_and_nothing_is_dropped(text: str, is_so: bool) -> None:
    assert is_filled_in("# how to\na: TODO(one)\nb: [TODO(another)]\n", text) == is_so


def test_what_no_command_prints_is_refused() -> None:
    with pytest.raises(AssertionError, match="printed by no command"):
        list(steps("```console\n6 entries\n$ atlas check\n```\n"))
