"""The pages of the whole atlas are made of shares: no collection, entry or view of one is at hand for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.checked import Checked, CheckedCollection
from atlas.render import whole_making, workshop
from atlas.render.build import build_site
from atlas.render.pieces import Pieces
from atlas.render.site import Produced, Settings, Site, StoredBody, Streamed


class Nowhere(Mapping[str, Any]):
    """Collections of which nothing can be read, not even how many there are."""

    def __getitem__(self, name: str) -> Any:
        raise AssertionError(f"the collection {name} was read")

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the collections were gone through")

    def __len__(self) -> int:
        raise AssertionError("the collections were counted")


def settings(project: Any, workspace: Path) -> Settings:
    workspace.mkdir()
    root = project.root
    return Settings(root, root / "content", root / "sources", workspace, "Atlas", site_url="https://example.org/")


def written(site: Site) -> dict[str, bytes]:
    """Every page and file, as it would be written."""
    found: dict[str, bytes] = {}
    for page in site.pages:
        context = {name: str(value() if callable(value) else value) for name, value in page.context.items()}
        found[page.url] = (page.body() + json.dumps(context)).encode()
    for asset in (*site.assets, *site.forms):
        content = asset.content
        if isinstance(content, StoredBody | Produced | Streamed):
            content = content().encode()
        found[asset.url] = content if isinstance(content, bytes) else content.read_bytes()
    return found


def test_no_page_of_the_whole_reads_a_collection(
    real_project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = build_site(settings(real_project, tmp_path / "one"))
    before = written(expected)
    expected.close()
    assert {"", "compare/", "glossary/", "verification/", "operators/", "sources/", "data/"} <= before.keys()
    assert {"api/v1/index.json", "api/v1/symbols.json", "api/v1/verification.json"} <= before.keys()

    def refusing(atlas: Any, collections: Mapping[str, CheckedCollection], *rest: Any) -> Checked:
        assert not collections
        return Checked(replace(atlas, collections=Nowhere()), Nowhere(), *rest)

    def nobody(*_: Any) -> None:
        raise AssertionError("a collection was loaded")

    def not_kept(*_: Any) -> set[bytes]:
        return set()

    monkeypatch.setattr(whole_making, "Checked", refusing)
    monkeypatch.setattr(workshop, "check_one", nobody)
    monkeypatch.setattr(Pieces, "there", not_kept)
    site = build_site(settings(real_project, tmp_path / "other"))
    assert written(site) == before
    site.close()
