from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from atlas.exceptions import NodeError
from atlas.node.environment import Environment
from atlas.node.process import LONGEST_FORMULA, Formula, NodeProcess, refuse
from tests.node.typesetting import refusal, typeset

LAYER_NORM = r"""
\begin{aligned}
\mu_d(x) &= \frac{1}{d}\sum_{j=1}^{d} x_j \\
y_i &= \gamma_i \frac{x_i - \mu_d(x)}{\sqrt{\sigma^2 + \varepsilon}} + \beta_i
\end{aligned}
"""


# What the other end of every fake answers; the test appends what goes wrong after the first request.
FAKE = """
const send = (message) => {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  process.stdout.write(Buffer.concat([head, body]));
};
let requests = 0;
process.stdin.on("data", (data) => {
  requests += 1;
  if (requests === 1) send({ id: 1, node: process.versions.node, katex: "VERSION" });
  else misbehave(data);
});
"""


Server = Callable[[str], Path]


@pytest.fixture
def fake(environment: Environment, tmp_path: Path) -> Server:
    def write(misbehaviour: str) -> Path:
        script = tmp_path / "fake.mjs"
        text = FAKE.replace("VERSION", environment.katex_version) + f"const misbehave = (data) => {{ {misbehaviour} }};"
        script.write_text(text, encoding="utf-8")
        return script

    return write


@pytest.fixture(autouse=True)
def no_thread_is_left(node: NodeProcess) -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def gone(pid: int) -> bool:
    """Whether the process is neither running nor a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_formula_becomes_html_and_mathml(node: NodeProcess) -> None:
    (result,) = node.typeset([Formula(LAYER_NORM, display=True)], whole=True)
    assert result.error == ""
    assert result.position is None
    assert result.html is not None
    assert result.html.startswith('<span class="katex-display"><span class="katex">')
    assert "<math xmlns=" in result.html
    assert '<annotation encoding="application/x-tex">' in result.html
    assert 'class="katex-html" aria-hidden="true"' in result.html


def test_display_and_inline_differ(node: NodeProcess) -> None:
    inline, display = node.typeset([Formula(r"\sum_i x_i"), Formula(r"\sum_i x_i", display=True)])
    assert inline.html != display.html
    assert "katex-display" not in (inline.html or "katex-display")


def test_the_process_says_what_it_runs(node: NodeProcess, environment: Environment) -> None:
    versions = node.versions()
    assert versions.katex == environment.katex_version
    assert versions.node == environment.node_version


def test_results_keep_the_order_and_duplicates_are_sent_once(environment: Environment, fake: Server) -> None:
    echo = "const {id, formulas} = JSON.parse(data.subarray(4)); send({id, results: formulas.map(([tex], i) => ({html: tex + i}))});"  # noqa: E501 - one line of JavaScript
    with NodeProcess(environment, server=fake(echo)) as process:
        results = process.typeset([Formula(tex) for tex in ("b", "a", "b", "ε", "c", "a")])
    assert [result.html for result in results] == ["b0", "a1", "b0", None, "c2", "a1"]
    assert [result.formula.tex for result in results] == ["b", "a", "b", "ε", "c", "a"]


def test_nothing_to_do_is_no_result(node: NodeProcess) -> None:
    assert node.typeset([]) == []


def test_a_thousand_formulas(node: NodeProcess) -> None:
    formulas = [Formula(rf"x_{{{number}}}", display=number % 2 == 0) for number in range(1000)]
    results = node.typeset(formulas)
    assert [result.formula for result in results] == formulas
    for number, result in enumerate(results):
        assert result.html is not None
        assert rf">x_{{{number}}}</annotation>" in result.html


def test_work_is_done_while_the_caller_does_something_else(node: NodeProcess) -> None:
    first = node.submit(Formula(rf"a_{{{number}}}") for number in range(120))
    second = node.submit([Formula("b")])
    assert second.result()[0].html == typeset(node, "b").html
    assert len(first.result()) == 120
    assert first.result() == first.result()


@pytest.mark.parametrize(
    ("tex", "message", "position"),
    [
        (r"x+\unknown y", r"Undefined control sequence: \unknown", 2),
        ("x_1_2", "Double subscript", 3),
        ("x^", "Expected group after '^'", 1),
        (r"\frac{1}", "Unexpected end of input in a macro argument, expected '}'", 8),
        (r"\text{漢字}\unknown", r"Undefined control sequence: \unknown", 9),
        (r"x😀", 'Unrecognized Unicode character "😀" (U+1F600) [unknownSymbol]', 1),
        ("\\text{%😀😀\n}\\unknown", r"Undefined control sequence: \unknown", 11),
        ("ü", 'Accented Unicode text character "ü" used in math mode [unicodeTextInMathMode]', 0),
        ("x + ε", r"write \varepsilon instead of ε", 4),
        ("x\ud83d", "the formula has half of a character, which is no text", 1),
    ],
)
def test_a_refusal_says_why_and_where_in_code_points(
    node: NodeProcess, tex: str, message: str, position: int | None
) -> None:
    assert refusal(node, tex) == (message, position)


@pytest.mark.parametrize(
    "command",
    [r"\href{javascript:alert(1)}{x}", r"\href{https://x.example}{x}", r"\url{x}", r"\includegraphics{x.png}"],
)
def test_commands_that_reach_out_of_the_formula_are_refused(node: NodeProcess, command: str) -> None:
    name = command.split("{")[0]
    assert refusal(node, "x + " + command) == (f"{name} is not allowed", 4)
    assert refusal(node, rf"\def\a{{{command}}}\a") == (f"{name} is not allowed", 7)


@pytest.mark.parametrize(
    "command", [r"\htmlClass{a}{x}", r"\htmlId{a}{x}", r"\htmlStyle{color:red}{x}", r"\htmlData{a=b}{x}"]
)
def test_html_attributes_cannot_be_set(node: NodeProcess, command: str) -> None:
    assert refusal(node, command) == ("HTML extension is disabled on strict mode [htmlExtension]", None)


def test_the_colour_that_marks_a_refusal_cannot_hide_one(node: NodeProcess) -> None:
    assert "cannot be used" in refusal(node, r"\color{#fe0e1d}x")[0]


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"<img src=x onerror=alert(1)>",
        r"""\text{\&lt;b> '"}""",
        "% <script>\nx",
        r"\textcolor{#ff0000}{<a>}",
        r"\def\a{<b>}\a",
    ],
)
def test_what_katex_shows_is_escaped(node: NodeProcess, tex: str) -> None:
    html = typeset(node, tex).html
    assert html is not None
    tags: set[str] = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.add(tag)  # type: ignore[method-assign]  # the shortest collector
    parser.feed(html)
    assert tags <= {"span", "math", "semantics", "mrow", "mi", "mo", "mn", "mtext", "mstyle", "annotation"}


@pytest.mark.parametrize(
    "definition", [r"\gdef\leak{x}", r"\global\def\leak{x}", r"\newcommand\leak{x}", r"\def\leak{x}"]
)
def test_macros_do_not_leak_into_the_next_formula(node: NodeProcess, definition: str) -> None:
    results = node.typeset([Formula(definition + r"\leak"), Formula(r"\leak")])
    assert results[0].error == ""
    assert results[1].error == r"Undefined control sequence: \leak"


def test_an_endless_macro_is_bounded(node: NodeProcess) -> None:
    assert "Too many expansions" in refusal(node, r"\def\a{\a\a}\a")[0]


def test_a_macro_that_multiplies_its_argument_is_bounded_in_time(node: NodeProcess) -> None:
    bomb = r"\def\a#1{" + "#1" * 9000 + r"}\a{" + "x" * 1000 + "}"
    start = time.monotonic()
    assert refusal(node, bomb) == ("it takes longer than 2 seconds to typeset", None)
    assert time.monotonic() - start < 20
    assert typeset(node, "x").error == ""


def test_deep_nesting_is_a_refusal_and_not_the_end_of_the_process(node: NodeProcess) -> None:
    assert "nested too deeply" in refusal(node, "{" * 9000 + "x" + "}" * 9000)[0]
    assert typeset(node, "x").error == ""


def test_a_very_long_formula_is_refused_before_it_is_sent() -> None:
    assert refuse(Formula("x" * LONGEST_FORMULA)) is None
    refused = refuse(Formula("x" * (LONGEST_FORMULA + 1)))
    assert refused is not None
    assert refused.error == "the formula has 20,001 characters, more than 20,000"


def test_closing_ends_the_process_and_leaves_no_zombie(environment: Environment) -> None:
    process = NodeProcess(environment)
    with process:
        pid = process.pid
        assert typeset(process, "x").html
        assert not gone(pid)
    assert gone(pid)
    process.close()
    with pytest.raises(NodeError, match="was closed"):
        process.typeset([Formula("x")])


def test_closing_does_not_wait_for_work_that_nobody_wants(environment: Environment, fake: Server) -> None:
    start = time.monotonic()
    with NodeProcess(environment, server=fake("while (true);")) as process:
        pid = process.pid
        process.submit([Formula("x" * 15_000 + str(number)) for number in range(30)])  # more than a pipe holds
    assert time.monotonic() - start < 4
    assert gone(pid)


def test_a_process_outside_with_is_an_error(environment: Environment) -> None:
    with pytest.raises(NodeError, match="use it inside `with`"):
        NodeProcess(environment).typeset([Formula("x")])


def test_a_process_that_is_killed_is_an_error_that_later_calls_repeat(environment: Environment) -> None:
    with NodeProcess(environment) as process:
        os.kill(process.pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(NodeError, match="Node has ended"):
                process.typeset([Formula("x")])


def test_a_death_during_a_batch_names_the_batch_and_shows_the_last_words(
    environment: Environment, fake: Server
) -> None:
    server = fake('process.stderr.write("first line\\nout of something\\n", () => process.exit(3));')
    with NodeProcess(environment, server=server) as process, pytest.raises(NodeError) as caught:
        process.typeset([Formula("x^2"), Formula("y")])
    assert (
        str(caught.value)
        == "Node has ended during a batch of 2 formulas from 'x^2' on\n    first line\n    out of something"
    )


def test_a_hung_process_is_killed_and_the_batch_named(environment: Environment, fake: Server) -> None:
    with NodeProcess(environment, server=fake("while (true);"), timeout=1) as process:
        pid = process.pid
        with pytest.raises(NodeError) as caught:
            process.typeset([Formula("x" * 100)])
    assert str(caught.value) == f"Node has not answered for 1 seconds during the formula '{'x' * 60}…'"
    assert gone(pid)


def test_a_slow_process_that_still_answers_is_not_taken_for_a_hung_one(environment: Environment, fake: Server) -> None:
    slow = """
      for (let rest = data; rest.length; ) {
        const end = 4 + rest.readUInt32BE(0);
        const { id, formulas } = JSON.parse(rest.subarray(4, end));
        rest = rest.subarray(end);
        setTimeout(() => send({ id, results: formulas.map(() => ({ html: "" })) }), 400 * (id - 1));
      }
    """
    with NodeProcess(environment, server=fake(slow), timeout=1) as process:
        pending = [process.submit([Formula(str(number))]) for number in range(5)]
        assert pending[-1].result()[0].html == ""  # the last one comes after two seconds


@pytest.mark.parametrize(
    "noise",
    [
        'process.stdout.write("a line that is no frame\\n");',
        "send({id: 99});",
        "send([1]);",
        "send({id: null, results: []});",
    ],
)
def test_an_answer_that_is_none_is_an_error(environment: Environment, fake: Server, noise: str) -> None:
    with (
        NodeProcess(environment, server=fake(noise)) as process,
        pytest.raises(NodeError, match="Node sent what is no answer"),
    ):
        process.typeset([Formula("x")])


def test_a_server_that_cannot_start_shows_why(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "katex.mjs").write_text("throw new Error('broken module');", encoding="utf-8")
    with (
        pytest.raises(NodeError, match=r"(?s)Node has ended during the question for its version.*broken module"),
        NodeProcess(replace(environment, katex_dist=tmp_path)),
    ):
        pass


def test_a_node_that_is_not_there_is_an_error(environment: Environment, tmp_path: Path) -> None:
    with (
        pytest.raises(NodeError, match="could not be started"),
        NodeProcess(replace(environment, node=tmp_path / "node")),
    ):
        pass


def test_another_katex_than_the_environment_says_is_an_error(environment: Environment) -> None:
    with (
        pytest.raises(NodeError, match=r"but the environment has 0\.0\.0"),
        NodeProcess(replace(environment, katex_version="0.0.0")),
    ):
        pass


def test_options_of_the_users_node_do_not_reach_the_process(
    environment: Environment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "noise.cjs").write_text("console.log('noise')", encoding="utf-8")
    monkeypatch.setenv("NODE_OPTIONS", f"--require={tmp_path / 'noise.cjs'}")
    with NodeProcess(environment) as process:
        assert typeset(process, "x").html
