"""`atlas run` as people and scripts meet it: shapes, values, files, and every way in which a run is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from atlas.graph import forward

Atlas = Callable[..., Result]

SMALL_GPT2 = [f"--set={one}" for one in ("V=50", "P=16", "d=24", "h=3", "f=32", "N=2")]


def refused(result: Result) -> str:
    """The last line of what a refused command says; it ends without a traceback and prints no result."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def data(result: Result) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_a_run_tells_sizes_outputs_and_totals(atlas: Atlas) -> None:
    result = atlas("run", "nested")
    assert (result.exit_code, result.stderr) == (0, "")
    head, sizes, output, parameters, macs = result.stdout.splitlines()
    assert head == "Nested small (nested, variant small), float32, seed 0"
    assert sizes.startswith("sizes: B = 2 (default), S = 3 (default), V = 11, d = 4, e = 16, N = 2, m = [1, 3], L = 4")
    assert re.fullmatch(r"output\.\\ell  \[2, 3, 11\]  mean -?[0-9.e-]+, deviation [0-9.]+", output)
    assert parameters == "1,436 parameters, 1,196 active"
    assert macs == f"{2128 * 6:,} multiply–accumulates for B = 2, S = 3"


def test_the_trace_has_a_line_for_each_step_and_its_parameters_add_up(atlas: Atlas) -> None:
    result = atlas("run", "nested", "--trace")
    lines = result.stdout.splitlines()[2:-3]
    assert len(lines) == 19
    assert lines[1] == (
        "stages[0]/rest[0]/mix  Mix: input.x_0 [2, 3, 4] as x → stages[0]/rest[0].u_{r+1} [2, 3, 4]; 16 parameters"
    )
    assert lines[12].endswith(
        "Residual sum: alternating[1].a_{n+1} [2, 3, 16] as x, shared[0].o_n [2, 3, 16] as r "
        "→ shared[0].y_{n+1} [2, 3, 16]; 0 parameters"
    )
    counts = [int(line.rpartition("; ")[2].split()[0].replace(",", "")) for line in lines]
    assert sum(counts) == 1436
    assert [counts[index] for index in (11, 13, 15)] == [768, 0, 0]  # the same weights in three layers


def test_json_has_the_same(atlas: Atlas) -> None:
    found = data(atlas("run", "nested", "--trace", "--json", "--value", "stages[1].x_n", "--seed", "3"))
    assert (found["model"], found["variant"], found["dtype"], found["seed"]) == ("nested", "small", "float32", 3)
    assert found["sizes"]["m"] == [1, 3]
    assert found["defaults"] == ["B", "S"]
    assert found["inputs"] == {"t": [2, 3]}
    assert (found["parameters"], found["active_parameters"], found["multiply_accumulates"]) == (1436, 1196, 12768)
    assert list(found["outputs"]) == ["output.\\ell"]
    assert list(found["values"]) == ["stages[0].x_{n+1}"]
    assert found["values"]["stages[0].x_{n+1}"]["shape"] == [2, 3, 8]
    assert len(found["trace"]) == 19
    assert found["trace"][0] == {
        "place": "input/embedding",
        "component": "nested/input/embedding",
        "operator": "embedding",
        "reads": [{"value": "t", "symbols": ["t"], "shape": [2, 3]}],
        "gives": [{"value": "input.x_0", "shape": [2, 3, 4]}],
        "parameters": 44,
    }
    assert sum(step["parameters"] for step in found["trace"]) == found["parameters"]


def test_every_value_is_saved_and_told_by_name(atlas: Atlas, models: Any) -> None:
    result = atlas("run", "nested", "-o", "run.npz", "--value", "shared[1].o_n", "--value", "t", "--dtype", "float64")
    assert result.exit_code == 0
    assert result.stderr == "20 values saved in run.npz\n"
    with np.load(models.root / "run.npz") as saved:
        assert saved["shared[1].o_n"].dtype == np.float64
        assert saved["t"].shape == (2, 3)
        mean, deviation = saved["shared[1].o_n"].mean(), saved["shared[1].o_n"].std()
        assert len(saved.files) == 20
    assert f"shared[1].o_n  [2, 3, 16]  mean {mean:.6g}, deviation {deviation:.6g}\n" in result.stdout
    assert "\nt              [2, 3]  mean " in result.stdout


def test_one_seed_is_one_run(atlas: Atlas) -> None:
    first, again, other = (atlas("run", "nested", "--json", "--seed", seed).stdout for seed in ("1", "1", "2"))
    assert first == again
    assert json.loads(first)["outputs"] != json.loads(other)["outputs"]


def test_sizes_can_be_set(atlas: Atlas) -> None:
    found = data(
        atlas("run", "nested", "--json", "--variant", "wide", "--set", "m=2,1", "--set", " S = 5", "--set=V=7")
    )
    assert (found["sizes"]["m"], found["sizes"]["S"], found["sizes"]["V"]) == ([2, 1], 5, 7)
    assert found["defaults"] == ["B"]
    assert found["outputs"]["output.\\ell"]["shape"] == [2, 5, 7]
    assert found["parameters"] == 7 * 8 + 2 * 64 + 256 + 8 * 16 + 16 * 32 + 32 + 32 + (96 + 3 * 480) + 32 + 7 * 32


def test_a_run_of_gpt_2(real: Atlas) -> None:
    found = data(real("run", "gpt-2", *SMALL_GPT2, "--json", "--trace", "--value", "decoder[1].x_n"))
    layer = 4 * 24 + 4 * (24 * 24 + 24) + 2 * 24 * 32 + 24 + 32
    assert found["parameters"] == 50 * 24 + 16 * 24 + 2 * layer + 2 * 24
    assert found["outputs"]["output.\\ell"]["shape"] == [2, 7, 50]
    assert list(found["values"]) == ["decoder[0].x_{n+1}"]
    assert len(found["trace"]) == 2 + 2 * 6 + 2
    assert sum(step["parameters"] for step in found["trace"]) == found["parameters"]  # the tied table once
    assert found["multiply_accumulates"] == 14 * (2 * (4 * 24 * 24 + 2 * 24 * 32 + 2 * 7 * 24) + 24 * 50)


def test_numbers_that_are_not_finite_are_told(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "drawn", lambda weight, rng: np.full(weight.shape, 1e30))
    result = atlas("run", "pyramid")
    assert result.exit_code == 0
    assert "no finite number" in result.stdout
    found = data(atlas("run", "pyramid", "--json"))
    assert found["outputs"]["output.y"]["mean"] is None
    assert found["outputs"]["output.y"]["not_finite"] == 48


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--variant", "smal"), "nested has no variant smal; there is small and wide"),
        (("--set", "D=4"), "the model has no size D; "),
        (("--set", "c=4"), "c cannot be set: it is d in stages"),
        (("--set", "d=0"), "d is at least 1 and at most 1,000,000,000,000, not 0"),
        (("--set", "d=-3"), "not -3"),
        (("--set", "m=3"), "m varies from layer to layer"),
        (("--set", "m=3,"), "m has 1 values, but stages has 2 layers"),
        (("--set", "m=1,2,3"), "m has 3 values, but stages has 2 layers"),
        (("--set", "d=4,4"), "d is the same in every layer"),
        (("--set", "d"), "`d` is not of the form d=64 or m=3,4,6,3"),
        (("--set", "=4"), "`=4` is not of the form"),
        (("--set", "d=4.5"), "d is set to `4.5`, which is no whole number"),
        (("--set", "d="), "d is set to ``, which is no whole number"),
        (("--set", "d=" + "9" * 30), "which is no whole number"),
        (("--set", "d=٣"), "which is no whole number"),
        (("--set", "L=3"), "alternating has L/2 layers: L/2 is 3/2, not a whole number"),
        (("--set", "d=6"), "c is 24 after the last layer of stages, but e is 16"),
        (("--value", "stages[0].y"), "no value is called stages[0].y; did you mean stages[0].x_n?"),
        (("--value", "nope"), "no value is called nope; there is t, input.x_0, stages[0]/rest[0].u_{r+1}, "),
        (("--seed", "-1"), "-1 is not in the range"),
        (("--dtype", "float16"), "'float16' is not one of 'float32', 'float64'"),
        (("--dtype", "bf16"), "'bf16' (bfloat16) is not one of 'float32', 'float64'"),
        (("--dtype", "many"), "'many' is not one of"),
        (("--memory", "0"), "0.0 is not in the range"),
        (("--set", "N=999999999"), "stages has N layers, which is 999"),
    ],
)
def test_what_cannot_be_run_is_told(atlas: Atlas, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(atlas("run", "nested", *arguments))


def test_a_variant_is_named_as_pages_show_it_too(real: Atlas) -> None:
    arguments = ("--set=B=1", "--set=S=1", "--json", *SMALL_GPT2)
    by_title, by_name = (real("run", "gpt-2", "--variant", name, *arguments) for name in ("355m", "gpt2-medium"))
    assert data(by_title) == data(by_name)
    assert data(by_title)["variant"] == "gpt2-medium"
    assert "has no variant 355; there is gpt2 (124M), gpt2-medium (355M), " in refused(
        real("run", "gpt-2", "--variant", "355")
    )
    assert "355M is a variant of gpt-2: name gpt-2 and --variant gpt2-medium" in refused(real("run", "355M"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nestd", "there is no model nestd; did you mean nested?"),
        ("wide", "wide is a variant of nested: name nested and --variant wide"),
        ("x", "there is no model x; there is line, nested and pyramid"),
        ("nested/stages", "nested/stages is no model, it is a stack: its model is nested"),
        (
            "nested/stages/rest/mix",
            "it is a component: `atlas show nested/stages/rest/mix` tells what is known of it; its model is nested",
        ),
        ("nested/../nested/model", "there is no model nested/../nested/model; "),
    ],
)
def test_a_model_that_is_not_there_is_told(atlas: Atlas, name: str, message: str) -> None:
    assert message in refused(atlas("run", name))


def test_a_library_and_a_model_that_is_not_complete_are_not_run(real: Atlas, published: Any) -> None:
    assert "chainer is a library, whose layers are no model" in refused(real("run", "chainer"))
    for name in ("chainer/layer-normalization", "content/chainer/layer-normalization.yml"):
        told = refused(real("run", name))
        assert f"{name} is no model, it is a component: `atlas show chainer/layer-normalization`" in told
        assert told.endswith("chainer is a library, which has no model")
    published.edit("content/gpt-2/model.yml", "complete: true", "complete: false")
    assert "gpt-2 is not complete" in refused(real("run", "gpt-2"))


def test_memory_is_asked_for_before_anything_is_allocated(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("memory was allocated")

    monkeypatch.setattr("atlas.commands.run.run_randomly", never)
    line = refused(atlas("run", "nested", "--set", "S=10000000", "--set", "B=1000"))
    assert re.search(
        r"Error: nested is not run: it would need [\d,]+\.\d GB of memory .*, but may have 4\.0 GB; "
        r"set smaller sizes with --set, or allow more with --memory$",
        line,
    )
    assert "but may have 0.0 GB" in refused(atlas("run", "nested", "--memory", "0.000001"))


def test_sizes_that_a_component_refuses_name_it(real: Atlas) -> None:
    result = real("run", "gpt-2", *SMALL_GPT2, "--set", "S=17")
    assert result.exit_code == 2
    assert re.search(r"Error: input/position-embedding.*P", result.stderr)
    result = real("run", "gpt-2", *SMALL_GPT2, "--set", "h=7")
    assert result.exit_code == 2
    assert "Error: decoder: d/h is 24/7, not a whole number" in result.stderr


def test_a_model_that_does_not_hold_is_not_run(atlas: Atlas, models: Any) -> None:
    models.edit("content/nested/shared/sum.yml", "'y_n': 'x'", "'y_m': 'x'")
    result = atlas("run", "nested")
    assert result.exit_code == 1
    line = models.line("content/nested/shared/sum.yml", "'y_m': 'x'")
    assert result.stdout.startswith(f"content/nested/shared/sum.yml:{line}:")
    assert "A601 nothing produces y_m" in result.stdout
    assert result.stderr == "1 issue in 1 file; the model cannot be built before they are mended\n"
    as_json = atlas("run", "nested", "--json")
    assert as_json.exit_code == 1
    assert [issue["code"] for issue in json.loads(as_json.stdout)] == ["A601"]
    assert atlas("run", "pyramid").exit_code == 0


@pytest.mark.parametrize(
    ("path", "old", "new", "code"),
    [
        ("shared/sum.yml", "operator: add", "operator: ad", "A136"),
        ("shared/sum.yml", "'r': {axes: [B, S, e], binds: r}", "'r': {axes: [B, S, T], binds: r}", "A121"),
        ("stages/widen.yml", "axes: [c, 2 c]", "axes: [c, c, 2]", "A301"),
        ("stages/widen.yml", "title: Widen", "titel: Widen", "A101"),
        ("model.yml", "N: 2, m: [1, 3]", "N: 2, m: [1, 3, 1]", "A606"),
    ],
)
def test_a_mistake_gives_its_issue_and_never_a_traceback(
    atlas: Atlas, models: Any, path: str, old: str, new: str, code: str
) -> None:
    models.edit(f"content/nested/{path}", old, new)
    result = atlas("run", "nested")
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (1, 2)
    assert (code in result.stdout) == (result.exit_code == 1)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("none/run.npz", "there is no folder none"),
        ("none/deeper/run.npz", "there is no folder none/deeper"),
        ("/proc/run.npz", "nothing can be written in /proc: "),
    ],
)
def test_an_output_without_a_place_is_told_before_the_run(
    atlas: Atlas, models: Any, monkeypatch: pytest.MonkeyPatch, output: str, message: str
) -> None:
    monkeypatch.setattr("atlas.commands.run.run_randomly", lambda *_: pytest.fail("the model was run"))
    before = sorted(models.root.rglob("*"))
    result = atlas("run", "nested", "-o", output)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert sorted(models.root.rglob("*")) == before


def test_an_output_that_cannot_be_written_leaves_nothing(atlas: Atlas, models: Any, tmp_path: Path) -> None:
    (models.root / "file").write_text("x", encoding="utf-8")
    result = atlas("run", "nested", "-o", "file/run.npz")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert sorted(one.name for one in models.root.iterdir()) == ["content", "file", "mkdocs.yml", "sources"]


@pytest.mark.parametrize(("name", "meant"), [("fp32", "float32"), ("F32", "float32"), ("double", "float64")])
def test_formats_of_numbers_have_the_names_that_people_give_them(atlas: Atlas, name: str, meant: str) -> None:
    assert data(atlas("run", "nested", "--dtype", name, "--json"))["dtype"] == meant
