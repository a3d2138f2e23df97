"""Entry × check over the real content, and typical mistakes in it: each gives exactly the issues that it should."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from atlas.checks.run import Outcome
from atlas.entries.collection import Model
from atlas.entries.load import COLLECTION_FILES, load
from atlas.graph.unroll import Sizes
from atlas.graph.weights import weights
from atlas.issues import TITLES, Issue, show

Check = Callable[[Path], Outcome]

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
BAD = sorted((HERE / "bad").glob("*.yml"))
CASES: Mapping[str, dict[str, Any]] = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in BAD}

TYPICAL = [name for name, case in CASES.items() if case.get("typical") or "known_from" in case]
"""Slips that people make: each gives one issue."""

NOT_RECORDED = ("A701", "A702")
"""What the copies lack is their recorded proofs; every edit would make those stale."""

ONLY_IN_OTHER_FORMULAS = (
    *("A208", "A211", "A214", "A217", "A218", "A221", "A222", "A223", "A228", "A229", "A230", "A231"),
    *("A232", "A235", "A238", "A239", "A240", "A241", "A242", "A243", "A245", "A246", "A251"),
)
"""Refusals of the formula language that need sums over conditions, recurrences, functions and the like."""

ELSEWHERE = {
    **dict.fromkeys(ONLY_IN_OTHER_FORMULAS, "a layer norm has no such formula; tests/formula/test_refusals.py"),
    "A249": "checks draw every input; tests/checks/test_formula.py",
    "A252": "a layer norm takes few steps; tests/formula/test_robust.py",
    "A261": "axes are compared with the operator's first; tests/formula/test_check.py",
    "A262": "operators give numbers for what is drawn; tests/formula/test_check.py",
    "A302": "the symbolic check finds it first; tests/checks/test_shapes.py has an operator that lies",
    "A501": "needs a server or an archive that lies; tests/checks/test_sources.py",
    "A503": "needs an empty cache; tests/checks/test_sources.py",
    "A611": "a quantity that no small model lacks; tests/checks/test_published.py",
    **dict.fromkeys(("A620", "A621", "A622", "A623"), "needs a configuration; tests/checks/test_configuration.py"),
    "A701": "needs a recorded proof; tests/checks/test_records.py",
    "A702": "needs a recorded proof to be missing; tests/checks/test_records.py",
    "A608": "needs a model that names an upstream one; tests/test_cli_models.py",
    "A704": "needs `atlas verify`; tests/checks/test_upstream.py",
    "A705": "needs `atlas verify`; tests/checks/test_upstream.py",
    "A710": "needs `atlas verify`; tests/upstream/test_program_edits.py",
    **dict.fromkeys(("A706", "A707", "A709"), "needs `atlas verify`; tests/upstream/test_library_edits.py"),
    "A708": "needs `atlas verify`; tests/content/edits/gpt-2.yml",
    **dict.fromkeys(
        ("A901", "A902"), "needs files beside entries; tests/links/test_check.py, tests/plugin/test_events.py"
    ),
    **dict.fromkeys(
        ("A903", "A904", "A905"), "needs a project; tests/links/test_check.py, tests/plugin/test_page_links.py"
    ),
    "A906": "needs prose pages; tests/render/test_prose_pages.py",
    **dict.fromkeys(("A907", "A908", "A909", "A910"), "needs a whole site; tests/render/test_redirects.py"),
    "A911": "needs MkDocs; tests/plugin/test_policy.py",
    "A912": "needs prose pages; tests/checks/test_prose.py",
}
"""Codes that no edit of content gives, with the reason and the test that has them."""


@pytest.fixture(scope="module")
def outcome(check: Check) -> Outcome:
    return check(REPOSITORY)


ATLAS = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")[0]
ENTRIES = [entry.id for entry in ATLAS.entries]


def test_the_real_content_holds(outcome: Outcome) -> None:
    assert show(issue for issue in outcome.issues if issue.severity == "error") == ""
    assert outcome.checked is not None
    assert [checked.entry.id for checked in outcome.checked.entries] == ENTRIES
    files = [file for file in (REPOSITORY / "content").rglob("*.yml") if file.stem not in COLLECTION_FILES]
    assert outcome.entries == len(ENTRIES) == len(files)


@pytest.mark.parametrize("entry_id", ENTRIES)
def test_each_claim_of_each_entry_is_proved(outcome: Outcome, entry_id: str) -> None:
    assert outcome.checked is not None
    checked = next(one for one in outcome.checked.entries if one.entry.id == entry_id)
    data = checked.entry.data
    proved = {proof.claim: proof for proof in checked.proofs if proof.status == "proved"}
    assert proved.keys() == {"formula", "shapes", "parameters", "excerpts"} - (
        set() if data.formula_not_executed is None else {"formula"}
    )
    if data.formula_not_executed is None:
        figure = re.fullmatch(
            rf"executed: equals {data.operator} on 4 inputs, largest relative error (\d\.\de[-+]\d\d)",
            proved["formula"].figure,
        )
        assert figure is not None
        assert float(figure[1]) < 1e-9
    assert len(checked.claims) == len(data.sources)
    for claim in checked.claims:
        assert claim.excerpt is not None
        is_commit = re.fullmatch("[0-9a-f]{40}", claim.source.data.revision) is not None
        assert claim.pin.state == ("proved" if is_commit else "release")
        assert len(claim.excerpt.lines) == claim.claim.span[1] - claim.claim.span[0] + 1


@pytest.mark.parametrize("entry_id", ENTRIES)
def test_the_parameters_shown_are_those_of_the_weights(outcome: Outcome, entry_id: str) -> None:
    """The figure of an entry, which multiplies layers, is the sum over the weights of all its places."""
    assert outcome.checked is not None
    checked = next(one for one in outcome.checked.entries if one.entry.id == entry_id)
    figure = next(proof.figure for proof in checked.proofs if proof.claim == "parameters")
    found = outcome.checked.collections[checked.entry.collection]
    if not isinstance(found.collection.data, Model):
        assert figure.startswith(f"{found.account(checked.entry).per_instance} per instance")
        return
    assert found.graph is not None
    counts = []
    for variant in found.collection.data.variants.values():
        own = [one for one in weights(found.graph, Sizes.of(variant)) if one.node.entry.id == entry_id]
        counts.append(f"{variant.title} {sum(one.count for one in own if one.learned and one.tied is None):,}")
    assert figure.partition(";")[0] == f"counted for every variant over its layers: {', '.join(counts)}"


def test_the_calls_of_components_are_found_in_the_sources(outcome: Outcome) -> None:
    """Every claim that names a call has the line of that call, which is within the passage."""
    assert outcome.checked is not None
    claims = [claim for one in outcome.checked.entries for claim in one.claims]
    assert any(claim.claim.call for claim in claims)
    for claim in claims:
        if claim.claim.call is None:
            assert claim.call_line is None
        else:
            assert claim.call_line is not None
            assert claim.excerpt is not None
            first, last = claim.claim.span
            assert first <= claim.call_line <= last
            line = claim.excerpt.lines[claim.call_line - first]
            assert claim.claim.call in line


def test_the_call_of_the_norms_is_on_its_line(project: Path, check: Check) -> None:
    outcome = check(project)
    assert outcome.checked is not None
    calls = {one.entry.id: one.call[1] for one in outcome.checked.entries if one.call is not None}
    norms = ("transformer/encoder/attention-layer-norm", "transformer/encoder/ffn-layer-norm")
    assert {name: calls[name] for name in norms} == dict.fromkeys(norms, 60)


@pytest.mark.parametrize("name", [name for name in CASES if name not in TYPICAL])
def test_a_mistake_gives_its_issues_and_no_others(name: str, project: Path, check: Check) -> None:
    case = CASES[name]
    edit(project, case)
    outcome = check(project)
    expected = case["expect"]
    wanted_codes = {one["code"] for one in expected}
    found = [issue for issue in outcome.issues if issue.code in wanted_codes or issue.code not in NOT_RECORDED]
    assert [places(issue) for issue in found] == [
        (one["file"], one.get("line", 0), one.get("column", 0), one["code"]) for one in expected
    ], show(found)
    for issue, one in zip(found, expected, strict=True):
        assert one["message"] in issue.message
        assert one.get("hint", "") in issue.hint
        assert bool(one.get("hint")) == bool(issue.hint)
        assert one.get("excerpt", issue.excerpt) == issue.excerpt
    assert outcome.checked is None or all(issue.severity == "warning" for issue in found)


def test_typical_mistakes_are_many_and_of_all_kinds() -> None:
    files = {file for name in TYPICAL for file in edited_files(CASES[name])}
    assert len(TYPICAL) >= 120
    assert {file.partition("/")[0] for file in files} == {"content", "sources"}
    assert sum(CASES[name]["expect"][0]["code"][:2] in ("A2", "A8") for name in TYPICAL) >= 30
    threads = [CASES[name]["known_from"] for name in TYPICAL if "known_from" in CASES[name]]
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", thread) for thread in threads)


@pytest.mark.parametrize("name", TYPICAL)
def test_a_typical_mistake_is_one_issue_with_its_whole_text(name: str, project: Path, check: Check) -> None:
    """One slip is one issue, where the slip is, with what to write; nothing else follows from it."""
    edit(project, CASES[name])
    (issue,) = [issue for issue in check(project).issues if issue.code not in NOT_RECORDED]
    (wanted,) = CASES[name]["expect"]
    assert (places(issue), issue.message, issue.hint) == (
        (wanted["file"], wanted["line"], wanted["column"], wanted["code"]),
        wanted["message"],
        wanted["hint"],
    )
    assert issue.hint


def edited_files(case: Mapping[str, Any]) -> list[str]:
    return [one["file"] for one in case.get("edits", [case])]


def test_every_code_is_given_by_a_mistake_or_has_its_test_elsewhere() -> None:
    given = {one["code"] for case in CASES.values() for one in case["expect"]}
    assert given.isdisjoint(ELSEWHERE)
    assert given | ELSEWHERE.keys() == TITLES.keys()


@pytest.mark.parametrize("code", ELSEWHERE)
def test_codes_that_are_tested_elsewhere_are_there(code: str) -> None:
    path = re.findall(r"tests/[\w/-]+\.(?:py|yml)", ELSEWHERE[code])[0]
    assert code in (REPOSITORY / path).read_text(encoding="utf-8")


def places(issue: Issue) -> tuple[str, int, int, str]:
    return issue.path, issue.line, issue.column, issue.code


def edit(root: Path, case: Mapping[str, Any]) -> None:
    """Make the edits of a case; a text that is to be replaced must stand in its file exactly once."""
    for one in case.get("edits", [case] if "file" in case else []):
        replace_once(root / one["file"], one["replace"], one["with"])
    if "cut" in case:
        text = (root / case["cut"]["file"]).read_text(encoding="utf-8")
        start, end = text.index(case["cut"]["from"]), text.index(case["cut"]["until"])
        (root / case["cut"]["file"]).write_text(text[:start] + text[end:], encoding="utf-8")
    for path in case.get("delete", []):
        shutil.rmtree(root / path) if (root / path).is_dir() else (root / path).unlink()
    for path, text in case.get("create", {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for path, digits in case.get("bytes", {}).items():
        (root / path).write_bytes(bytes.fromhex(digits))
    for path, target in case.get("link", {}).items():
        (root / target).write_text("title: outside\n", encoding="utf-8")
        (root / path).symlink_to(root / target)
    for path, target in case.get("rename", {}).items():
        (root / path).rename(root / target)
    for path, origin in case.get("copy", {}).items():
        shutil.copyfile(root / origin, root / path)


def replace_once(file: Path, old: str, new: str) -> None:
    text = file.read_bytes().decode("utf-8")
    assert text.count(old) == 1, f"{file.name} holds {old!r} {text.count(old)} times"
    file.write_bytes(text.replace(old, new).encode("utf-8"))
