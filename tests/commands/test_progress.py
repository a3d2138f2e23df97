"""Bars on a terminal, lines elsewhere; and nothing that is printed ends up in the middle of a bar."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from atlas.commands.progress import Counting, Waiting, draws

Clock = Callable[[float], None]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the time that progress sees."""
    now = [0.0]
    monkeypatch.setattr("atlas.commands.progress.time", SimpleNamespace(monotonic=lambda: now[0]))
    return lambda seconds: now.__setitem__(0, seconds)


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Makes standard error a terminal; to be called in the test, as pytest takes the stream when one begins."""

    def begin() -> Terminal:
        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "60")
        found = Terminal()
        monkeypatch.setattr(sys, "stderr", found)
        return found

    return begin


def seen(text: str) -> list[str]:
    """The lines that a terminal shows in the end, each drawn over as often as it was."""
    shown = []
    for line in text.split("\n"):
        cells = ""
        for part in line.split("\r"):
            cells = part + cells[len(part) :]
        shown.append(cells.rstrip())
    return shown


def test_counting_draws_one_line_and_takes_it_away(on_terminal: Callable[[], Terminal], clock: Clock) -> None:
    terminal = on_terminal()
    with Counting("checking") as counting:
        for number in range(4):
            clock(number + 1.0)
            counting(f"model/{'long-' * number}name", number, 4)
        assert "checking [------------------------] 0/4 model/name" in terminal.getvalue()
        assert "[##################------] 3/4" in terminal.getvalue()
        assert "\n" not in terminal.getvalue()
        assert max(len(part) for part in terminal.getvalue().split("\r")) <= 59
    assert seen(terminal.getvalue()) == [""]


def test_drawing_too_often_is_left_out(on_terminal: Callable[[], Terminal], clock: Clock) -> None:
    terminal = on_terminal()
    with Counting("checking") as counting:
        for number in range(1000):
            clock(0.001 * number)
            counting("a", number, 1000)
    assert terminal.getvalue().count("checking") < 25


def test_a_line_between_drawings_is_whole(on_terminal: Callable[[], Terminal], clock: Clock) -> None:
    terminal = on_terminal()
    with Counting("verifying") as counting:
        clock(1)
        counting("first", 0, 2)
        counting.echo("first: agrees", err=True)
        clock(2)
        counting("second", 1, 2)
        counting.bringing("one.whl", 5, 10)
        counting.bringing("one.whl", 10, 10)
        clock(3)
        counting("third", 1, 2)
        counting.echo("second: differs", err=True)
    lines = seen(re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "", terminal.getvalue()))
    assert lines[0] == "first: agrees"
    assert lines[1].startswith("one.whl")
    assert lines[-2:] == ["second: differs", ""]
    assert not any("verifying" in line for line in lines)


@pytest.mark.parametrize("variable", [("CI", "true"), ("TERM", "dumb")])
def test_nothing_is_drawn_over_in_continuous_integration(
    on_terminal: Callable[[], Terminal], clock: Clock, monkeypatch: pytest.MonkeyPatch, variable: tuple[str, str]
) -> None:
    terminal = on_terminal()
    assert draws(terminal)
    monkeypatch.setenv(*variable)
    assert not draws(terminal)
    with Counting("checking") as counting:
        for second in range(0, 100, 20):
            clock(second)
            counting("a", second, 1000)
        counting.bringing("one.whl", 5, 10)
    with Waiting() as waiting:
        waiting.begin("Installing")
    assert (
        terminal.getvalue() == "checking: 40 of 1,000 done\nchecking: 80 of 1,000 done\nbringing one.whl\nInstalling\n"
    )


def test_a_pipe_gets_no_bar(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stderr", pipe)
    with Counting("checking") as counting:
        clock(29)
        counting("a", 0, 2)
        assert pipe.getvalue() == ""
        clock(31)
        counting("b", 1, 2)
    assert pipe.getvalue() == "checking: 1 of 2 done\n"


def test_waiting_tells_the_time_and_leaves_nothing(on_terminal: Callable[[], Terminal]) -> None:
    terminal = on_terminal()
    with Waiting() as waiting:
        waiting.begin("Installing KaTeX")
    assert "Installing KaTeX … 0 s" in terminal.getvalue()
    assert seen(terminal.getvalue()) == [""]
