"""How long the full check of each shared formula takes; with --mutants, whether every single edit of them is caught.

Run from the project's folder: `python -m bench.formula`. It fails where a bound is broken.
"""

from __future__ import annotations

import argparse
import runpy
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from atlas.exceptions import FormulaError
from atlas.formula.check import check
from atlas.formula.edits import edits
from atlas.formula.engine import parse

TESTS = Path(__file__).resolve().parent.parent / "tests" / "formula"
MEDIAN, WORST, ROUNDS = 10.0, 100.0, 5


def main() -> int:
    """Print the figures; 1 where a bound is broken."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--mutants", action="store_true", help="try every single edit of every formula")
    cases: dict[str, Any] = runpy.run_path(str(TESTS / "corpus.py"))["load"]()
    references: dict[str, Any] = runpy.run_path(str(TESTS / "references.py"))["REFERENCES"]
    if options.parse_args().mutants:
        return mutants(cases, references)
    times = {name: milliseconds(case, references[name]) for name, case in cases.items()}
    lines = [f"{spent:8.2f} ms  {name}" for name, spent in sorted(times.items(), key=lambda item: item[1])]
    median, worst = statistics.median(times.values()), max(times.values())
    bounds = f"median {median:.1f} ms (bound {MEDIAN:.0f}), worst {worst:.1f} ms (bound {WORST:.0f})"
    print("\n".join([*lines, f"{len(times)} formulas: {bounds}"]))  # noqa: T201 - a benchmark prints its figures
    return int(median > MEDIAN or worst > WORST)


def milliseconds(case: Any, reference: Any) -> float:
    """The processor time of parsing and checking once; the median of some rounds, the first of which is not counted."""
    rounds = []
    for _ in range(ROUNDS + 1):
        start = time.process_time()
        report = check(parse(case.latex, case.declarations), reference)
        rounds.append(1000 * (time.process_time() - start))
        if report.issues:
            raise SystemExit(f"{case.name}: {report.issues[0].message}")
    return statistics.median(rounds[1:])


def mutants(cases: dict[str, Any], references: dict[str, Any]) -> int:
    """Try every edit; those that survive must be the ones that the test lists as equivalent."""
    equivalent = runpy.run_path(str(TESTS / "test_mutants.py"))["EQUIVALENT"]
    count: Counter[str] = Counter()
    escaped = []
    for name, case in cases.items():
        formula = parse(case.latex, case.declarations)
        for edit in edits(formula):
            outcome = tried(formula, edit, references[name])
            if outcome == "survived" and (name, edit.describe()) in equivalent:
                outcome = "equivalent"
            count[outcome] += 1
            escaped += [f"{name}: {edit.describe()}"] if outcome == "survived" else []
    print(f"{count.total()} edits of {len(cases)} formulas: {dict(count)}")  # noqa: T201 - a benchmark prints its figures
    for line in escaped:
        print(line)  # noqa: T201 - the same
    return int(bool(escaped))


def tried(formula: Any, edit: Any, reference: Any) -> str:
    """What becomes of one edit."""
    try:
        changed = formula.rewritten(edit.apply(formula.latex))
    except FormulaError:
        return "cannot be read"
    issues = check(changed, reference, repair=False).issues
    if not issues:
        return "survived"
    return "values differ" if issues[0].code == "A260" else "axes refused"


if __name__ == "__main__":
    sys.exit(main())
