from __future__ import annotations

from typing import Any

from bench.report import PAGE, RESULTS, build_section, load_section, page, read


def row(section: str, title: str, number: int = 0) -> list[str]:
    rows = [line for line in section.splitlines() if line.startswith(f"| {title} |")]
    return [cell.strip() for cell in rows[number].strip("|").split("|")]


def test_times_are_medians_and_ratios_are_of_medians(builds: dict[str, Any]) -> None:
    section = build_section(builds)
    assert row(section, "Ours") == ["Ours", "6.00 / 7.00", "6.00 / 8.00", "4.00 / 6.00", "10", "3"]
    ratios = row(section, "Ours", 1)
    assert ratios[:4] == ["Ours", "2.00 / 1.75", "3.00 / 2.00", "2.00 / 1.50"]
    assert ratios[4:] == ["100", "12.3", "4.3", "at build"]
    assert row(section, "Eleventy", 1)[:4] == ["Eleventy", *["1.00 / 1.00"] * 3]


def test_rendering_is_each_run_without_its_own_checks(builds: dict[str, Any]) -> None:
    builds["generators"][0]["runs"]["cold"][0]["checks"] = {"wall": 5.0, "cpu": 3.0}
    section = build_section(builds)
    # 1, 2 and 48 seconds are left on the clock; 5, 4.5 and 5.5 of processor time.
    assert row(section, "Ours, rendering")[1] == "2.00 / 5.00"
    assert row(section, "Ours, rendering", 1)[1] == "0.67 / 1.25"


def test_a_generator_that_did_not_run_is_named_with_the_reason(builds: dict[str, Any]) -> None:
    section = build_section(builds)
    assert "Hugo: not installed: offline.\n" in section
    assert "| Hugo |" not in section


def test_ratios_are_left_open_where_eleventy_did_not_run(builds: dict[str, Any]) -> None:
    builds["generators"][1]["runs"] = {"cold": [], "unchanged": [], "edit": []}
    assert row(build_section(builds), "Ours", 1)[1:4] == ["–", "–", "–"]


def test_what_mkdocs_takes_for_nothing_is_a_note_and_no_row(builds: dict[str, Any]) -> None:
    section = build_section(builds)
    assert "plugin of, 0.25 / 0.50 s." in section
    assert "| Empty |" not in section


def test_the_machine_its_load_and_all_versions_are_stated(builds: dict[str, Any]) -> None:
    builds["generators"][0]["runs"]["cold"][0]["load"] = 7.25
    section = build_section(builds)
    assert "Abacus, 2 cores, 8 GB, Linux 6, Python 3.11.0, Node.js 20.1.0." in section
    assert "0.5 (between 0.5 and 7.2)" in section
    assert "eleventy 1.2, hugo 1.2, mkdocs 1.2, openmodelatlas 1.2." in section


def test_loads_are_medians_of_each_figure(loads: dict[str, Any]) -> None:
    section = load_section(loads)
    assert row(section, "Ours") == ["Ours", "20 / 90", "410", "0.000", "51.2", "9.9", "7", "3"]
    assert "Zensical: not measured: gone." in section
    assert "Chromium 1." in section


def test_the_page_has_a_section_for_each_result_smallest_first(builds: dict[str, Any], loads: dict[str, Any]) -> None:
    text = page([{**builds, "pages": 1000}, loads, builds])
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# Speed", "## Builds", "### 60 pages", "### 1,000 pages", "## Pages"]
    assert "four" not in text
    assert "4 times slower, 1.6 Mbit/s" in text


def test_the_page_in_the_docs_is_made_from_the_results_that_are_kept() -> None:
    results = read(RESULTS)
    assert {one["kind"] for one in results} == {"generators", "pages"}
    assert PAGE.read_text(encoding="utf-8") == page(results)
