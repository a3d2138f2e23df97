"""`atlas show` as people and scripts meet it: figures of variants, and of configuration files that others wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Atlas = Callable[..., Result]

GPT2: Mapping[str, object] = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "attn_pdrop": 0.1,
    "bos_token_id": 50256,
    "embd_pdrop": 0.1,
    "eos_token_id": 50256,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 1024,
    "resid_pdrop": 0.1,
    "summary_activation": None,
    "summary_first_dropout": 0.1,
    "summary_proj_to_labels": True,
    "summary_type": "cls_index",
    "summary_use_proj": True,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    "vocab_size": 50257,
}
"""What the files of the family state."""


def refused(result: Result) -> str:
    """The last line of what a refused command says; it ends without a traceback and prints no result."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def data(result: Result) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def configuration(**changes: object) -> str:
    """A configuration file in the current folder with these keys changed; `...` leaves one out."""
    keys = {name: value for name, value in {**GPT2, **changes}.items() if value is not ...}
    Path("config.json").write_text(json.dumps(keys, indent=2), encoding="utf-8")
    return "config.json"


def issues(result: Result) -> list[str]:
    """The first lines of the issues that a command ends with."""
    assert result.exit_code == 1, result.output
    return [line for line in result.stdout.splitlines() if line.startswith("config.json")]


@pytest.mark.parametrize(
    ("variant", "total", "non_embedding", "per_token"),
    [
        ("gpt2", 124_439_808, 85_056_000, 36_864),
        ("gpt2-medium", 354_823_168, 302_311_424, 98_304),
        ("gpt2-large", 774_030_080, 708_390_400, 184_320),
        ("gpt2-xl", 1_557_611_200, 1_475_561_600, 307_200),
    ],
)
def test_figures_of_gpt_2(real: Atlas, variant: str, total: int, non_embedding: int, per_token: int) -> None:
    found = data(real("show", "gpt-2", "--variant", variant, "--json"))
    parameters = found["parameters"]
    assert (parameters["total"], parameters["active"]) == (total, total)
    assert (parameters["non_embedding"], parameters["embedding"]) == (non_embedding, total - non_embedding)
    assert found["cache"]["bytes_per_token"] == {"float32": 2 * per_token, "bfloat16": per_token, "fp8": per_token // 2}
    assert sum(one["total"] for one in found["stacks"]) == total
    assert sum(one["total"] for one in found["components"]) == total
    [claim] = found["published"]
    assert (claim["agrees"], claim["derived"]) == (False, total)


def test_gpt_2_as_text(real: Atlas) -> None:
    result = real("show", "gpt-2")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "GPT-2 124M (gpt-2, variant gpt2)"
    assert lines[1].startswith("  B = 1 (default), S = 128 (default), V = 50,257, P = 1,024, d = 768")
    for line in (
        "  total          124,439,808  tied ones once",
        "  non-embedding   85,056,000",
        "  decoder  85,054,464  12 × 7,087,872",
        "  decoder/attention-layer-norm      38,400  25 × 1,536",
        "Kept for each token: 18,432 numbers (73,728 bytes in float32, 36,864 bytes in bfloat16, 18,432 bytes in fp8)",
        "  18,432 B S S + 123,532,032 B S",
        "  16,114,089,984 for B = 1, S = 128",
        "  decoder.x_{n+1}  [B, S, d]  [1, 128, 768]    × 12",
        "  output.\\ell      [B, S, V]  [1, 128, 50257]",
    ):
        assert line in lines, line
    assert any(
        line.startswith("  parameters  117,000,000 (to 1,000,000)  CONFLICT: derived are 124,439,808") for line in lines
    )


def test_figures_of_nested_stacks(atlas: Atlas) -> None:
    found = data(atlas("show", "nested", "--json"))
    assert found["parameters"] == {"total": 1436, "active": 1196, "embedding": 44, "non_embedding": 1392, "buffers": 0}
    assert found["inputs"] == {"B": 1, "S": 128}
    assert found["multiply_accumulates"] == {"expression": "2128 B S", "value": 2128 * 128}
    assert found["cache"] == {
        "numbers_per_token": 28,
        "bytes_per_token": {"float32": 112, "bfloat16": 56, "fp8": 28},
        "numbers_per_token_of_a_window": 10,
        "numbers_per_token_of_the_input": 0,
        "constant_numbers": 21,
    }
    shapes = {one["name"]: (one["axes"], one["shape"]) for one in found["values"]}
    assert shapes["stages[1]/rest[2].u_{r+1}"] == (["B", "S", "c"], [1, 128, 8])
    assert len(shapes) == 20
    assert [one["agrees"] for one in found["published"]] == [False, False, True, False]
    text = atlas("show", "nested").stdout
    assert "  stages/rest  208  4 that differ\n" in text
    assert "Kept for each token of a window: 10 numbers (40 bytes in float32" in text
    assert "Kept in all: 21 numbers\n" in text
    assert "  stages[1].x_{n+1}          [B, S, 2 c]  [1, 128, 16]\n" in text
    assert "\n  alternating.b_n            [B, S, e]    [1, 128, 16]  × 2\n" in text
    assert re.search(r"multiply-accumulates for B = 1, S = 2 +10 +CONFLICT: derived are 4,256", text)


def test_lengths_and_sizes_can_be_set(atlas: Atlas) -> None:
    found = data(atlas("show", "pyramid", "--json", "--set", "R=7"))
    assert found["multiply_accumulates"]["value"] == 4 * 4 * 6 * 27 + 2 * 2 * 12 * 54 + 1 * 24 * 108
    assert found["published"] != []
    other = data(atlas("show", "pyramid", "--json", "--set", "N=1"))
    assert other["parameters"]["total"] == 6 * 3 * 9
    assert other["published"] == []  # what is published is not about these sizes
    assert atlas("show", "pyramid", "--set", "N=1").stdout.splitlines()[0].endswith("variant three) with other sizes")


def test_a_configuration_is_counted_and_every_key_accounted_for(real: Atlas) -> None:
    file = configuration(n_embd=1600, n_head=25, n_layer=48, use_cache=True, new_idea={"n_embd": 1})
    found = data(real("show", "--config", file, "--json"))
    assert found["model"] == "gpt-2"
    assert (found["variant"], found["sizes_of"]) == (None, "gpt2-xl")  # one key is not understood
    assert found["published"] == []
    assert found["parameters"]["total"] == 1_557_611_200
    keys = found["configuration"]
    assert keys["not_understood"] == ["new_idea"]
    assert keys["defaults"] == ["n_inner"]
    assert keys["stated_by"]["f"] == "the default of n_inner"
    assert keys["assumed"] == [
        "scale_attn_weights", "scale_attn_by_inverse_layer_idx", "add_cross_attention", "tie_word_embeddings",
    ]  # fmt: skip
    assert set(keys["ignored"]) == {
        name for name in GPT2 if name.startswith(("summary", "n_ctx")) or name.endswith("pdrop")
    } | {"initializer_range"}
    assert keys["no_part_of_the_architecture"] == [
        "architectures", "bos_token_id", "eos_token_id", "model_type", "task_specific_params", "use_cache",
    ]  # fmt: skip
    assert keys["as_documented"] == ["activation_function", "layer_norm_epsilon"]
    kinds = ("no_part_of_the_architecture", "ignored", "not_understood", "as_documented")
    accounted = {key for kind in kinds for key in keys[kind]} | {*keys["stated_by"].values()}
    assert accounted == {*json.loads(Path(file).read_text(encoding="utf-8")), "the default of n_inner"}


def test_a_configuration_as_text(real: Atlas) -> None:
    result = real("show", "--config", configuration(n_embd=96, n_head=4, n_layer=2, n_inner=100, odd="\u202ex"))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "GPT-2 (gpt-2) of config.json, with keys not understood: odd"
    total = 50257 * 96 + 1024 * 96 + 2 * (4 * 96 + 4 * (96 * 96 + 96) + 2 * 96 * 100 + 100 + 96) + 2 * 96
    assert f"  total          {total:,}" in result.stdout
    assert "Published" not in result.stdout
    assert any(re.fullmatch(r"  not understood +odd", line) for line in lines)
    assert lines[-1] == "  Keys that were not understood may change the model; then these figures are not its figures."
    known = real("show", "--config", configuration())
    assert known.stdout.splitlines()[0] == "GPT-2 (gpt-2) of config.json, which is the variant gpt2"
    assert "not understood" in known.stdout
    assert "may change the model" not in known.stdout
    assert "CONFLICT: derived are 124,439,808" in known.stdout


HEAD = "GPT-2 (gpt-2) of config.json, which "


@pytest.mark.parametrize(
    ("changes", "head"),
    [
        ({}, f"{HEAD}is the variant gpt2"),
        ({"architectures": None}, f"{HEAD}is the variant gpt2"),
        ({"architectures": ["GPT2Model", "GPT2LMHeadModel"]}, f"{HEAD}is the variant gpt2"),
        ({"odd": 1, "new": 2}, f"{HEAD}has the sizes of the variant gpt2; with keys not understood: odd, new"),
        ({"architectures": ["GPT2Model"]},
         f"{HEAD}has the sizes of the variant gpt2; made for GPT2Model, not GPT2LMHeadModel"),
        ({"architectures": "A", "odd": 1},
         f"{HEAD}has the sizes of the variant gpt2; with keys not understood: odd; made for A, not GPT2LMHeadModel"),
        ({"n_layer": 2, "architectures": ["Other"]},
         "GPT-2 (gpt-2) of config.json, made for Other, not GPT2LMHeadModel"),
    ],
)  # fmt: skip
def test_a_configuration_is_a_variant_only_where_all_of_it_is_understood(
    real: Atlas, changes: dict[str, object], head: str
) -> None:
    lines = real("show", "--config", configuration(**changes)).stdout.splitlines()
    assert lines[0] == head
    assert ("Published" in lines) == head.endswith("is the variant gpt2")


def test_names_of_the_library_attributes_are_keys_too(real: Atlas) -> None:
    file = configuration(
        n_embd=..., hidden_size=1024, n_layer=..., num_hidden_layers=24, n_head=..., num_attention_heads=16
    )
    assert data(real("show", "gpt-2", "--config", file, "--json"))["parameters"]["total"] == 354_823_168


def test_keys_that_are_left_out_have_the_librarys_defaults(real: Atlas) -> None:
    Path("least.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    found = data(real("show", "--config", "least.json", "--json"))
    assert (found["variant"], found["parameters"]["total"]) == ("gpt2", 124_439_808)
    assert len(found["configuration"]["defaults"]) == 6


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"layer_norm_epsilon": 1e-6}, "A620",
         "layer_norm_epsilon is 1e-06, but the documented model has 1e-05; it concerns decoder/attention-layer-norm"),
        ({"activation_function": "relu"}, "A620",
         'activation_function is "relu", but the documented model has "gelu_new"; it concerns decoder/feed-forward'),
        ({"tie_word_embeddings": False}, "A620", "tie_word_embeddings is false, but the documented model has true"),
        ({"n_embd": "768"}, "A621", 'n_embd is "768", where a whole number is expected'),
        ({"n_embd": -768}, "A621", "n_embd is at least 1"),
        ({"n_layer": 0}, "A621", "n_layer is at least 1"),
        ({"hidden_size": 512}, "A622", "hidden_size is 512, but d is 768 by n_embd"),
    ],
)  # fmt: skip
def test_a_configuration_that_does_not_fit_is_an_issue_at_its_key(
    real: Atlas, changes: dict[str, object], code: str, message: str
) -> None:
    file = configuration(**changes)
    [key] = changes
    text = Path(file).read_text(encoding="utf-8").splitlines()
    line = next(number for number, one in enumerate(text, 1) if f'"{key}"' in one)
    result = real("show", "--config", file)
    [issue] = issues(result)
    assert issue.startswith(f"config.json:{line}:3: {code} {message}")
    assert result.stderr == "1 issue in 1 file\n"
    [as_json] = json.loads(real("show", "--config", file, "--json").stdout)
    assert (as_json["code"], as_json["line"]) == (code, line)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_head": 7}, "config.json: A622 no model has these sizes: decoder: d/h is 768/7, not a whole number"),
        ({"n_layer": 10**9}, "config.json: A622 no model has these sizes: decoder has N layers, which is 1"),
    ],
)
def test_sizes_that_do_not_fit_each_other_are_told_with_their_keys(
    real: Atlas, changes: dict[str, object], message: str
) -> None:
    result = real("show", "--config", configuration(**changes))
    [issue] = issues(result)
    assert issue.startswith(message)
    assert "the sizes are d from n_embd, " in result.stdout
    assert ", h from n_head, " in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "config.json:1:2: no JSON: "),
        ("[]", "config.json holds a JSON list, not an object with keys"),
        ('{"n_embd": 1, "n_embd": 2}', 'config.json: the key "n_embd" stands twice'),
        ('{"model_type": "llama"}', 'config.json has the model_type "llama"; documented are gpt2, or name the MODEL'),
        ('{"model_type": 3}', "config.json has the model_type 3; documented are gpt2"),
        ("{}", "config.json states no model_type; documented are gpt2, or name the MODEL"),
        (" " * 1_000_001, "config.json has more than 1,000,000 bytes"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(real: Atlas, text: str, message: str) -> None:
    Path("config.json").write_text(text, encoding="utf-8")
    assert message in refused(real("show", "--config", "config.json"))


def test_a_configuration_of_another_family_is_told(real: Atlas) -> None:
    [issue] = issues(real("show", "gpt-2", "--config", configuration(model_type="llama")))
    assert issue.endswith('A620 model_type is "llama", but gpt-2 is of the type gpt2')


def test_a_model_without_upstream_has_no_configuration(atlas: Atlas) -> None:
    line = refused(atlas("show", "pyramid", "--config", configuration()))
    assert line.endswith("pyramid states no library's configuration: there is no `upstream` in its file")


def test_wrong_usage_is_told(real: Atlas) -> None:
    assert "name what to show, or a configuration with --config; there is: models gpt-2; " in refused(real("show"))
    file = configuration()
    assert "--variant and --config both say" in refused(real("show", "gpt-2", "--config", file, "--variant", "gpt2"))
    assert "does not exist" in refused(real("show", "--config", "missing.json"))
    assert "has no variant gpt3; there is gpt2 (124M), gpt2-medium (355M)" in refused(
        real("show", "gpt-2", "--variant", "gpt3")
    )
    assert "the model has no size n" in refused(real("show", "gpt-2", "--set", "n=3"))
    assert "decoder: d/h is 385/6, not a whole number" in refused(real("show", "gpt-2", "--set", "d=770"))


def test_a_published_figure_that_cannot_be_compared_is_an_issue(atlas: Atlas, models: Any) -> None:
    models.edit("content/nested/model.yml", "{B: 1, S: 2}", "{B: 1}")
    result = atlas("show", "nested")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"content/nested/model.yml:{models.line('content/nested/model.yml', '{B: 1}')}:")
    assert ": A120 the multiply-accumulates depend on S" in result.stdout


def test_a_model_that_is_not_complete_says_so(real: Atlas, published: Any) -> None:
    published.edit("content/gpt-2/model.yml", "complete: true", "complete: false")
    result = real("show", "gpt-2")
    assert result.exit_code == 0
    assert "  not complete: figures are those of the components that have entries\n" in result.stdout
    assert data(real("show", "gpt-2", "--json"))["complete"] is False


def test_what_many_tokens_take_is_told(real: Atlas) -> None:
    asked = ["show", "gpt-2", "--tokens", "1024"]
    sizes = "75,497,472 bytes in float32, 37,748,736 bytes in bfloat16, 18,874,368 bytes in fp8"
    assert f"Kept for 1,024 tokens: 18,874,368 numbers ({sizes})" in real(*asked).stdout.splitlines()
    cache = data(real(*asked, "--json"))["cache"]
    assert cache["for_tokens"] == {
        "tokens": 1024,
        "numbers": 1024 * cache["numbers_per_token"],
        "bytes": {name: 1024 * each for name, each in cache["bytes_per_token"].items()},
    }
    assert "for_tokens" not in data(real("show", "gpt-2", "--json"))["cache"]


def test_tokens_are_counted_for_models_that_keep_something_for_each(atlas: Atlas) -> None:
    assert "pyramid keeps nothing for each token" in refused(atlas("show", "pyramid", "--tokens", "8"))
    assert "--set and --tokens go with a model" in refused(atlas("show", "rms_norm", "--tokens", "8"))
    assert "0 is not in the range" in refused(atlas("show", "nested", "--tokens", "0"))
