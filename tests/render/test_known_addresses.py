"""What a check knows of addresses without a build is what a build makes."""

from __future__ import annotations

from pathlib import Path

from atlas.entries.load import load
from atlas.links.known import Known
from atlas.project import find_project, site_settings
from atlas.render.site import Site

ROOT = Path(__file__).resolve().parents[2]


def test_the_pages_that_a_check_knows_are_those_that_are_made(whole_site: Site) -> None:
    project = find_project(ROOT)
    atlas, _ = load(project.root, project.content, project.sources)
    known = Known(project, site_settings(project), atlas)
    made = {page.url for page in whole_site.pages}
    assert {*known.own, *known.entries} == made
    assert {page.url: page.edit_path for page in whole_site.pages if page.url in known.entries} == dict(known.entries)
    files = [asset.url for asset in (*whole_site.assets, *whole_site.forms)]
    assert [one for one in (*made, *files) if not known.has(one)] == []
    assert [
        one for one in ("nothing/", "operators/nothing/", "nothing.svg", "gpt-2/nothing.json") if known.has(one)
    ] == []
