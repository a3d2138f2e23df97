"""The real entries verified against the real pinned code, and every way in which the two can differ."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from atlas.checks.records import TOLERANCE
from atlas.checks.upstream import Executed, verify_entry
from atlas.operators.catalogue import find
from atlas.operators.layer_norm import LayerNormGradient
from atlas.operators.registry import Operator

FFN, ATTENTION = "transformer/encoder/ffn-layer-norm", "transformer/encoder/attention-layer-norm"
CHAINER = "chainer/layer-normalization"
FFN_FILE, CHAINER_FILE = f"content/{FFN}.yml", f"content/{CHAINER}.yml"


def verified(real_project: Any, entry_id: str, operator: Operator | None = None) -> list[Executed]:
    entry = real_project.entry(entry_id)
    return list(verify_entry(entry, operator or find(entry.data.operator), real_project.pinned(entry)))


def codes(found: list[Executed]) -> list[str]:
    return [one.issue.code if one.issue is not None else "" for one in found]


@pytest.mark.parametrize("entry_id", [FFN, ATTENTION, CHAINER])
def test_the_pinned_code_agrees_with_the_operators(real_project: Any, entry_id: str) -> None:
    entry = real_project.entry(entry_id)
    found = verified(real_project, entry_id)
    assert [one.execution for one in found] == list(entry.data.executions)
    assert codes(found) == ["", "", ""]
    for one in found:
        assert one.worst is not None
        assert one.worst < 1e-14
        assert one.record is not None
        assert (one.record.excerpt, one.record.call) == (one.execution.excerpt, one.execution.call)
        assert one.record.gives == one.execution.gives
        assert one.record.maximum_error == pytest.approx(one.worst, rel=0.01)
        assert one.record.samples == 4
        assert one.record.versions["numpy"] == np.__version__
        assert set(one.record.versions) == {"numpy", "openmodelatlas", "python"}
        assert abs(datetime.datetime.now(datetime.UTC).date() - one.record.date) <= datetime.timedelta(days=1)
    assert [one.execution.gives for one in found] == ["result", "result", "gradient"]


@pytest.mark.parametrize("entry_id", [FFN, ATTENTION])
def test_a_wrong_epsilon_is_seen_by_the_call_that_takes_its_own_default(real_project: Any, entry_id: str) -> None:
    real_project.edit(FFN_FILE, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 1e-5}")
    found = verified(real_project, entry_id)
    # The other two are passed the entry's epsilon, and compute with it as the operator does.
    assert codes(found) == ["", "A705", ""]
    issue = found[1].issue
    assert issue is not None
    assert found[1].record is None
    assert (issue.path, issue.line) == (FFN_FILE, real_project.line(FFN_FILE, "- excerpt: layer-norm", 2))
    assert issue.message.startswith("upstream’s layer_norm and our operator layer_norm differ: largest relative error ")
    assert issue.message.endswith(", where 1e-09 is allowed, in result, on inputs 0.001 N(0, 1)")
    assert issue.hint == (
        "the call gives upstream no epsilon, so it took its own default, and the operator epsilon = 1e-05: "
        "correct `arguments`, or give it to the call with `passes`"
    )


def test_chainers_own_epsilon_is_compared_in_result_and_gradient(real_project: Any) -> None:
    real_project.edit(CHAINER_FILE, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 2e-6}")
    found = verified(real_project, CHAINER)
    assert codes(found) == ["", "A705", "A705"]
    lines = [one.issue.line for one in found if one.issue is not None]
    assert lines == [real_project.line(CHAINER_FILE, "- excerpt: layer-normalization", nth) for nth in (2, 3)]


def test_epsilon_inside_the_root_is_not_chainers(real_project: Any) -> None:
    found = verified(real_project, CHAINER, find("layer_norm"))
    assert codes(found) == ["A705"] * 3
    assert found[0].issue is not None
    assert found[0].issue.hint.startswith("the operator, or what `passes`, `variables` or `binds` say, is not")


def test_epsilon_outside_the_root_is_not_tensor2tensors(real_project: Any) -> None:
    # The operator with the outer epsilon takes rows only.
    text = (real_project.root / FFN_FILE).read_text(encoding="utf-8")
    (real_project.root / FFN_FILE).write_text(text.replace("axes: [B, S, d]", "axes: [S, d]"), encoding="utf-8")
    assert codes(verified(real_project, FFN)) == ["", "", ""]
    assert codes(verified(real_project, FFN, find("layer_norm_outer_epsilon"))) == ["A705"] * 3


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "epsilon: epsilon, scale: gamma, bias: beta}",
            "epsilon: epsilon, scale: beta, bias: gamma}",
            ["A705", "", ""],
        ),
        (
            "{layer_norm_scale: gamma, layer_norm_bias: beta}",
            "{layer_norm_scale: beta, layer_norm_bias: gamma}",
            ["", "A705", ""],
        ),
        ("scale: gamma, bias: beta, dy: dy", "scale: beta, bias: gamma, dy: dy", ["", "", "A705"]),
        ("scale: gamma, bias: beta, dy: dy", "scale: gamma, bias: beta, dy: x", ["", "", "A704"]),
    ],
    ids=["function", "layer", "gradient", "x as the gradient of the result"],
)
def test_exchanged_arguments_are_seen(real_project: Any, old: str, new: str, expected: list[str]) -> None:
    real_project.edit(FFN_FILE, old, new)
    assert codes(verified(real_project, FFN)) == expected


@pytest.mark.parametrize("name", ["x", "gamma", "beta"])
def test_each_traced_gradient_is_compared(real_project: Any, name: str) -> None:
    operator = find("layer_norm_outer_epsilon")
    assert operator.gradient is not None
    right = operator.gradient.function

    def wrong(*arrays: Any, **options: Any) -> LayerNormGradient:
        found = right(*arrays, **options)
        changed: LayerNormGradient = found._replace(**{name: getattr(found, name) * (1 + 1e-6)})
        return changed

    broken = replace(operator, gradient=replace(operator.gradient, function=wrong))
    found = verified(real_project, CHAINER, broken)
    assert codes(found) == ["", "", "A705"]
    assert found[2].issue is not None
    assert f"largest relative error 1.0e-06, where 1e-09 is allowed, in {name}, on inputs" in found[2].issue.message


def test_gradients_of_a_layer_are_traced_through_upstreams_own_gradient_code(real_project: Any) -> None:
    claim = "    variables: {layer_norm_scale: gamma, layer_norm_bias: beta}\n"
    real_project.edit(FFN_FILE, claim, f"{claim}    gives: gradient\n")
    found = verified(real_project, FFN)
    assert codes(found) == ["", "", ""]
    assert found[1].record is not None
    assert found[1].record.gives == "gradient"
    real_project.edit(FFN_FILE, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 1e-5}")
    assert codes(verified(real_project, FFN)) == ["", "A705", ""]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("call: layer_norm\n", "call: layer_nrm\n", r"^tensor2tensor/models/common_layers.py defines no layer_nrm "),
        (
            "{layer_norm_scale: gamma, layer_norm_bias: beta}",
            "{layer_norm_scale: gamma}",
            r"^layer_norm is never given the operator's beta$",
        ),
        (
            "    passes: {x: x}\n",
            "    passes: {y: x}\n",
            r"^layer_norm has no argument y; it has epsilon, filters, name",
        ),
        (
            "    passes: {x: x}\n",
            "    passes: {x: x}\n    constructor: {eps: epsilon}\n",
            r"^layer_norm is no class: it is constructed with nothing$",
        ),
    ],
)
def test_what_cannot_be_executed_is_told_and_the_others_still_are(
    real_project: Any, old: str, new: str, message: str
) -> None:
    real_project.edit(FFN_FILE, old, new)
    found = verified(real_project, FFN)
    assert codes(found) == ["", "A704", ""]
    assert found[1].issue is not None
    assert found[1].worst is None
    assert found[1].record is None
    assert found[1].issue.line == real_project.line(FFN_FILE, "- excerpt: layer-norm", 2)
    assert re.search(message, found[1].issue.message)


def test_only_the_pinned_text_is_executed(real_project: Any) -> None:
    entry = real_project.entry(CHAINER)
    pinned = real_project.pinned(entry)["layer-normalization"]
    ran = []
    edited = replace(pinned, text=pinned.text + "\nraise SystemExit\n")
    for one in verify_entry(entry, find(entry.data.operator), {"layer-normalization": edited}):
        ran.append(one)
        assert one.issue is not None
        assert "is pinned as blob 12d63939d66339daa1fbf94c4830c5826bc92e4e but is" in one.issue.message
    assert codes(ran) == ["A704"] * 3


def test_a_file_that_is_not_at_hand_is_an_issue(real_project: Any) -> None:
    entry = real_project.entry(CHAINER)
    found = list(verify_entry(entry, find(entry.data.operator), {}))
    assert codes(found) == ["A704"] * 3
    assert found[0].issue is not None
    assert found[0].issue.message == "the file of layer-normalization is not at hand"


@pytest.mark.parametrize(("excess", "expected"), [(0.5, ""), (2, "A705")])
def test_the_tolerance_is_where_it_is_said_to_be(real_project: Any, excess: float, expected: str) -> None:
    operator = find("layer_norm_outer_epsilon")
    right = operator.function
    off = replace(operator, function=lambda *arrays, **options: right(*arrays, **options) * (1 + excess * TOLERANCE))
    assert codes(verified(real_project, CHAINER, off)) == [expected, expected, ""]
