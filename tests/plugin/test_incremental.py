"""A build after edits gives, byte for byte, the site that a build from nothing gives, and makes only what changed."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

from atlas import kept
from atlas.plugin import events, present
from atlas.plugin.fingerprint import Grounds
from atlas.render import making
from atlas.render.made import MadePiece
from atlas.render.pieces import Piece
from atlas.render.whole_making import WholeMaker

PROJECT = Path(__file__).parents[1] / "project"
RESIDUAL = "content/tiny/encoder/residual.yml"
Edit = Callable[[Path, random.Random], None]
PATIENCE = 300
"""Seconds for a build."""


def _replaced(path: str, old: str, new: Callable[[random.Random], str]) -> Edit:
    """Replaces the line that begins so."""

    def edit(root: Path, chance: random.Random) -> None:
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        (at,) = (number for number, line in enumerate(lines) if line.startswith(old))
        lines[at] = new(chance)
        (root / path).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return edit


def _configured(**settings: str) -> Edit:
    def edit(root: Path, chance: random.Random) -> None:
        file = root / "mkdocs.yml"
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
        chosen = {name: value.format(chance.randrange(99)) for name, value in settings.items()}
        file.write_text(yaml.safe_dump(given | chosen), encoding="utf-8")

    return edit


def _moved_lines(root: Path, chance: random.Random) -> None:
    """Another place of everything in a file that others inherit from, with the same meaning."""
    file = root / "content/transformer/encoder/ffn-layer-norm.yml"
    file.write_text("# A remark.\n" * chance.randrange(1, 4) + file.read_text(encoding="utf-8"), encoding="utf-8")


def _renamed(root: Path, chance: random.Random) -> None:
    """The layer of the library under another address."""
    library = root / "content/chainer/library.yml"
    old = yaml.safe_load(library.read_text(encoding="utf-8"))["layers"][0]
    new = f"layer-{chance.randrange(99)}"
    text = library.read_text(encoding="utf-8").replace(f"layers: [{old}", f"layers: [{new}")
    library.write_text(text, encoding="utf-8")
    (root / f"content/chainer/{old}.yml").rename(root / f"content/chainer/{new}.yml")


def _added_or_deleted(root: Path, chance: random.Random) -> None:
    """One layer more in the library, or that one away again; pages of other collections name it too."""
    library, more = root / "content/chainer/library.yml", root / "content/chainer/more.yml"
    text = library.read_text(encoding="utf-8")
    if more.exists():
        more.unlink()
        library.write_text(text.replace(", more]", "]"), encoding="utf-8")
    else:
        first = yaml.safe_load(text)["layers"][0]
        shutil.copy(root / f"content/chainer/{first}.yml", more)
        library.write_text(text.replace(f"[{first}]", f"[{first}, more]"), encoding="utf-8")


def _templates(root: Path, chance: random.Random) -> None:
    """Templates of the project's own for the column beside a page, and for one of its other forms."""
    theme = root / "theme"
    (theme / "entity").mkdir(parents=True, exist_ok=True)
    (theme / "entity/structure.html").write_text(
        f"<p>{chance.randrange(99)} {{{{ view.title }}}}</p>", encoding="utf-8"
    )
    _with_theme(root)


def _page_template(root: Path, chance: random.Random) -> None:
    """A template of the project's own for all pages, which shows what ours does not look at."""
    (root / "theme").mkdir(exist_ok=True)
    text = (
        '{% extends "base.html" %}{% block content %}{{ page.content }}'
        f"<p>{chance.randrange(99)} {{{{ page.next_page.title }}}} of {{{{ pages|length }}}}</p>{{% endblock %}}"
    )
    (root / "theme/main.html").write_text(text, encoding="utf-8")
    _with_theme(root)


def _prose(root: Path, chance: random.Random) -> None:
    """A page of prose more, or another title of it, which menus show; it links to a part of a component's page."""
    (root / "content/guides").mkdir(exist_ok=True)
    text = f"# Guide {chance.randrange(99)}\n\nTo [a sum](../tiny/encoder/residual.yml#formula).\n"
    (root / f"content/guides/{chance.choice('ab')}.md").write_text(text, encoding="utf-8")


def _with_theme(root: Path) -> None:
    file = root / "mkdocs.yml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    settings["theme"] = {"name": "openmodelatlas", "custom_dir": "theme"}
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")


def _differing(root: Path, chance: random.Random) -> None:
    """One more point on which a publication and the pinned code do not agree."""
    file = root / RESIDUAL
    before = file.read_text(encoding="utf-8").partition("differences:")[0]
    reference = "{title: Attention Is All You Need, url: 'https://arxiv.org/abs/1706.03762', where: section 3}"
    stated = (
        f"differences:\n  - about: Where it is added, {chance.randrange(99)}\n    published: After dropout\n"
        f"    reference: {reference}\n    code: Before dropout\n    claims: [residual]\n"
    )
    file.write_text(before + stated, encoding="utf-8")


MODEL, LIBRARY = "content/tiny/model.yml", "content/chainer/library.yml"
ONE: dict[str, Edit] = {
    "summary": _replaced(RESIDUAL, "summary:", lambda chance: f"summary: Add what $r_{{{chance.randrange(99)}}}$ is."),
    "title": _replaced(RESIDUAL, "title:", lambda chance: f"title: Sum {chance.randrange(99)}"),
    "formula": _replaced(RESIDUAL, "formula:", lambda chance: chance.choice(("formula: y=r+x", "formula: y=x + r"))),
    "claim": _replaced(RESIDUAL, "    claim:", lambda chance: f"    claim: A sum, remark {chance.randrange(99)}."),
    "sizes": _replaced(
        MODEL, "    sizes: {V: 11", lambda chance: f"    sizes: {{V: 1{chance.randrange(9)}, d: 6, h: 2, N: 3}}"
    ),
    "model": _replaced(MODEL, "title:", lambda chance: f"title: Tiny {chance.randrange(99)}"),
    "library": _replaced(LIBRARY, "title:", lambda chance: f"title: Chainer {chance.randrange(9)}"),
    "manifest": _replaced("sources/chainer.yml", "copyright:", lambda chance: f"copyright: {chance.randrange(99)} X"),
    "meaning": _replaced(
        RESIDUAL, "  'r':", lambda chance: f"  'r': {{axes: [B, S, d], binds: r, meaning: find {chance.randrange(99)}}}"
    ),
    "size": _replaced(MODEL, "  h: ", lambda chance: f"  h: heads of kind {chance.randrange(99)}"),
    "paper": _replaced(
        MODEL, "paper:", lambda chance: f"paper: {{title: Sums, authors: [A B], year: 20{chance.randrange(10, 25)}}}"
    ),
    "passage": _replaced(RESIDUAL, "    lines:", lambda chance: f"    lines: 59-{chance.choice((60, 62, 63))}"),
    "difference": _differing,
    "licence": _replaced("sources/chainer.yml", "title:", lambda chance: f"title: Chainer of {chance.randrange(99)}"),
    "lines": _moved_lines,
    "rename": _renamed,
    "prose": _prose,
    "prose again": _prose,
    "add or delete": _added_or_deleted,
}
"""Edits that concern one collection, and what is shown of it elsewhere."""
ALL: dict[str, Edit] = {
    "site's name": _configured(site_name="Atlas {}"),
    "edit links": _configured(edit_uri="edit/branch-{}/content/"),
    "site's address": _configured(site_url="https://example.org/{}/"),
    "templates": _templates,
    "template of pages": _page_template,
    "title": ONE["title"],  # with that template, another page shows it
}
"""Edits that concern every page."""


FILE_OF_CHAINER = "file chainer:chainer/links/normalization/layer_normalization.py"
FILE = "file tensor2tensor:tensor2tensor/models/transformer.py"
NAMED = {"glossary", "index", "lists", "verification", "family residual", FILE, "source tensor2tensor"}
SHOWN: dict[str, set[str]] = {
    "summary": set(),
    "claim": set(),
    "formula": {"family residual"},
    "title": NAMED,
    "sizes": {"comparison", "home", "verification"},
    "model": {
        *(NAMED | {"comparison", "home"}),
        *("family embedding", "family multi-head-attention", "family unembedding"),
    },
    "manifest": {"data", "lists", "source chainer", "sources", FILE_OF_CHAINER},
    "meaning": {"glossary"},
    "size": {"comparison", "glossary", "index"},
    "paper": {"comparison", "home", "index"},
    "passage": {"source tensor2tensor", FILE, "verification"},
    "difference": {"conflicts"},
}
"""What of the whole shows what an edit changes."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    shutil.copytree(PROJECT, root)
    return root


class Builds:
    """Builds of one project: each with what is kept under a name, and with a site of its own."""

    def __init__(self, project: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = project
        self.sites = folder / "sites"
        self._name = f"test-{os.getpid()}-{folder.name}"
        self._monkeypatch = monkeypatch

    def __call__(self, name: str, *, command: Any = "build", strict: bool = False) -> dict[str, bytes]:
        """Build from what is kept under the name, from nothing for a new one."""
        self._monkeypatch.setattr(kept, "FILE", f"{self._name}-{name}.sqlite")
        self._monkeypatch.setattr(present, "FOLDER", f"{self._name}-{name}.sites")
        site = self.sites / name
        config = load_config(str(self.project / "mkdocs.yml"), site_dir=str(site), strict=strict)
        config.plugins.on_startup(command=command, dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
        return self._site(name)

    def beside(self, name: str) -> Callable[[], dict[str, bytes]]:
        """Build from nothing in a copy of this process, while it goes on; what is returned waits for the site."""
        begun = multiprocessing.get_context("fork").Process(target=self, args=(name,))
        with warnings.catch_warnings():
            # Other threads hold nothing that a build needs: they wait for answers to other tests.
            warnings.simplefilter("ignore", DeprecationWarning)
            begun.start()

        def ended() -> dict[str, bytes]:
            begun.join(PATIENCE)
            begun.kill()  # if it has not ended
            assert begun.exitcode == 0
            return self._site(name)

        return ended

    def _site(self, name: str) -> dict[str, bytes]:
        site = self.sites / name
        return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}

    def files(self, name: str) -> dict[str, int]:
        """The number by which the system knows each file of a site."""
        site = self.sites / name
        return {path.relative_to(site).as_posix(): path.stat().st_ino for path in site.rglob("*") if path.is_file()}

    def clear(self) -> None:
        """Remove what was kept."""
        for file in kept.cache_folder().glob(f"{self._name}-*.sqlite*"):
            file.unlink()
        for folder in kept.cache_folder().glob(f"{self._name}-*.sites"):
            shutil.rmtree(folder)


@pytest.fixture
def built(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Builds]:
    builds = Builds(project, tmp_path, monkeypatch)
    yield builds
    builds.clear()


@pytest.mark.parametrize(("possible", "at_once"), [(ONE, 3), (ALL, 1)], ids=["of one collection", "of all"])
def test_after_any_edits_the_site_is_the_one_that_is_built_from_nothing(
    project: Path, built: Builds, possible: dict[str, Edit], at_once: int
) -> None:
    chance = random.Random(len(possible))  # noqa: S311 - reproducible edits, not secrets
    edits = chance.sample(list(possible), len(possible))
    built("kept")
    while edits:
        done = [edits.pop() for _ in range(min(at_once, len(edits)))]
        for name in done:
            possible[name](project, chance)
        from_nothing = built.beside(f"clean-{len(edits)}")
        after, clean = built("kept"), from_nothing()
        differing = {path for path in after.keys() | clean.keys() if after.get(path) != clean.get(path)}
        assert not differing - {"sitemap.xml.gz"}, f"after {', '.join(done)}"


def test_a_link_in_a_page_that_stays_is_dead_once_what_it_leads_to_is_gone(
    project: Path, built: Callable[[str], dict[str, bytes]], caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(0)  # noqa: S311 - not secret
    _added_or_deleted(project, chance)
    summary = _replaced(RESIDUAL, "summary:", lambda _: "summary: As [another layer](../../chainer/more.yml) does.")
    summary(project, chance)
    before = built("kept")
    assert "A904" not in caplog.text
    _added_or_deleted(project, chance)
    after = built("kept")
    assert after["tiny/encoder/residual/index.html"] == before["tiny/encoder/residual/index.html"]
    assert "chainer/more/index.html" not in after
    told = [line for line in caplog.messages if "A904" in line]
    assert len(told) == 1
    assert told[0].startswith(f"{RESIDUAL}:")
    assert "'../../chainer/more.yml' leads to no page or file of the site" in told[0]
    caplog.clear()
    built("clean")
    assert [line for line in caplog.messages if "A904" in line] == told


def test_an_edit_renders_again_only_what_it_is_seen_in(
    project: Path, built: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    view = making.component_view  # type: ignore[attr-defined]

    def noted(entry, collection, parts):  # type: ignore[no-untyped-def]
        made.append(entry.entry.id)
        return view(entry, collection, parts)

    monkeypatch.setattr(making, "component_view", noted)
    built("kept")
    assert len(made) == 7
    made.clear()
    built("kept")
    assert made == []
    ONE["summary"](project, random.Random(1))  # noqa: S311 - a reproducible edit, not a secret
    built("kept")
    assert {name.partition("/")[0] for name in made} == {"tiny"}


def test_an_edit_makes_only_those_pages_of_the_whole_that_show_it(
    project: Path, built: Callable[[str], dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = WholeMaker.make

    def noted(
        maker: WholeMaker, pieces: Sequence[Piece], others: Sequence[MadePiece] = ()
    ) -> Iterator[tuple[MadePiece, bytes]]:
        made.extend(f"{piece.kind} {piece.name}".strip() for piece in pieces)
        return make(maker, pieces, others)

    monkeypatch.setattr(WholeMaker, "make", noted)
    built("kept")
    assert {"home", "index", "entries", "issue-codes", "fixed", "family residual", "source chainer"} <= set(made)
    for name, pieces in SHOWN.items():
        made.clear()
        ONE[name](project, random.Random(3))  # noqa: S311 - a reproducible edit, not a secret
        built("kept")
        assert set(made) == pieces, name


def test_of_pages_that_were_made_while_something_changed_it_is_not_known_what_they_follow_from(
    project: Path, built: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_ones: list[present.Present] = []

    def noted(site: Path, one: present.Present) -> None:
        kept_ones.append(one)
        present.keep_present(site, one)

    monkeypatch.setattr(events, "keep_present", noted)
    built("kept")
    ONE["summary"](project, random.Random(2))  # noqa: S311 - a reproducible edit, not a secret
    with monkeypatch.context() as patch:
        patch.setattr(Grounds, "still_hold", lambda _: False)
        built("kept")
    built("kept")
    first, doubtful, last = kept_ones
    assert all(one.whole and any(file.key for file in one.files.values()) for one in (first, last))
    assert (doubtful.whole, {file.key for file in doubtful.files.values()}) == (b"", {b""})
