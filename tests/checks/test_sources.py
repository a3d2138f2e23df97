"""Pinned sources in a check: what is edited, missing or lying gives one issue; what is not at hand may be linked."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path

import pytest
from markupsafe import Markup

from atlas.checks.display import Typesetter
from atlas.checks.pinned import MissingSources
from atlas.checks.run import Outcome, check_project
from atlas.entries.atlas import Atlas
from atlas.exceptions import (
    ArchiveError,
    HashMismatchError,
    MissingFileError,
    OfflineError,
    RevisionError,
    SourceError,
)
from atlas.issues import show
from atlas.node.process import Formula, Typeset
from atlas.sources.cache import BlobCache
from atlas.sources.pins import PinLock, PinRecord, digest_of, save_lock
from atlas.sources.store import PinnedText, SourceStore, lines_of

BLOB = "0123456789abcdef0123456789abcdef01234567"
REVISION = "89abcdef0123456789abcdef0123456789abcdef"
SOURCE = """\
import other


class Layer(Base):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.add_param("gamma")
        self.eps = eps

    def __call__(self, x):
        return other.norm(x, self.eps)


def base():
    config.width = 8
    config.depth = 2 * 3
    config.width = 16
"""
LIBRARY = """\
title: Library
summary: It is one.
kind: framework
source: project
dimensions: {N: batch, C: units}
layers: [layer]
"""
LAYER = r"""title: Layer
operator: layer_norm
summary: It normalizes.
formula: y = \gamma x + \beta
symbols:
  'x': {axes: [N, C], binds: x}
  '\gamma': {axes: [C], binds: gamma, parameter: Gain}
  '\beta': {axes: [C], binds: beta, parameter: Bias}
  'y': {axes: [N, C], binds: result}
conventions: {axis: last, epsilon: inside the root, variance: biased}
api:
  name: project.Layer
  excerpt: layer
  symbol: Layer
  arguments:
    size: {type: int, text: Units.}
    eps: {type: float, default: '1e-6', text: Small.}
  call_arguments:
    x: {type: array, text: The batch.}
  attributes:
    gamma: {type: array, text: Gain.}
    eps: {type: float, text: Small.}
sources:
  - id: layer
    claim: It is this.
    source: project
    path: a.py
    lines: 4-11
    symbol: Layer
    first_symbol: Layer
    call: other.norm
formula_not_executed: The tests here are about sources.
"""
MANIFEST = f"""\
title: Project
repository: https://git.example/owner/project
revision: {REVISION}
license: MIT
license_text: MIT.txt
copyright: 2020 The authors
files:
  a.py: {{blob: {BLOB}}}
"""


class Store(SourceStore):
    """A store whose one file is made here, or which fails as told."""

    def __init__(self, atlas: Atlas, folder: Path, text: str, error: SourceError | None) -> None:
        manifests = {name: source.data for name, source in atlas.sources.items()}
        super().__init__(manifests, BlobCache(folder), offline=True)
        self.text = text
        self.error = error

    def file(self, source_id: str, path: str) -> PinnedText:
        if self.error is not None:
            raise self.error
        return PinnedText(source_id, path, BLOB, self.text, lines_of(self.text), self.manifests[source_id])


class Project:
    def __init__(self, root: Path, typesetter: Typesetter) -> None:
        self.root = root
        self.typesetter = typesetter
        self.text = SOURCE
        self.error: SourceError | None = None
        for path, text in {
            "content/library/library.yml": LIBRARY,
            "content/library/layer.yml": LAYER,
            "sources/project.yml": MANIFEST,
            "sources/MIT.txt": "MIT\n",
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        self.prove(BLOB)

    def prove(self, blob: str) -> None:
        repository = "https://git.example/owner/project"
        record = PinRecord(
            source="project",
            path="a.py",
            repository=repository,
            revision=REVISION,
            blob=blob,
            proved=datetime.date(2026, 1, 2),
            method="git-dir",
            digest=digest_of(repository, REVISION, "a.py", blob),
        )
        save_lock(PinLock((record,)), self.root / "sources" / "pins.lock")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def check(self, missing: MissingSources = "fail") -> Outcome:
        return check_project(
            self.root,
            self.root / "content",
            self.root / "sources",
            make_store=lambda atlas: Store(atlas, self.root / "cache", self.text, self.error),
            typesetter=self.typesetter,
            missing=missing,
        )

    def found(self) -> list[tuple[str, int, int, str]]:
        return [(issue.path, issue.line, issue.column, issue.code) for issue in self.check().issues]


def accepts(formulas: Iterable[Formula]) -> list[Typeset]:
    return [Typeset(formula, Markup(), "", None) for formula in formulas]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, accepts)


REPIN = "pin another revision: `atlas repin project`"
AGAIN = "run `atlas fetch project` again; `atlas doctor` tells of the cache and the network"


def test_a_sound_project_is_proved(project: Project) -> None:
    outcome = project.check()
    assert show(outcome.issues) == ""
    assert outcome.checked is not None
    (entry,) = outcome.checked.entries
    (claim,) = entry.claims
    assert claim.excerpt is not None
    assert claim.excerpt.lines[0] == "class Layer(Base):"
    assert claim.call_line == 11
    assert entry.call == (claim, 11)


@pytest.mark.parametrize(
    ("error", "code", "line", "column", "message", "hint"),
    [
        (HashMismatchError("the blob id of a.py", BLOB, "f" * 40, ("files", "a.py", "blob")), "A501", 8, 16,
         f"the blob id of a.py is pinned as {BLOB} but is {'f' * 40}",
         f"see that the file is the one that is meant; then write its hash as `blob`, else {REPIN}"),
        (HashMismatchError("the SHA-256 of a.whl", "1", "2", ("artifact", "sha256")), "A501", 1, 1,
         "the SHA-256 of a.whl is pinned as 1 but is 2",
         f"see that the archive is the one that is meant; then write its hash as `sha256`, else {REPIN}"),
        (MissingFileError("there is no file a.py", ("files", "a.py")), "A501", 8, 9, "there is no file a.py",
         f"name a file that is there, or {REPIN}"),
        (MissingFileError("there is no file a.py", ("files", "a.py"), "the nearest is b.py"), "A501", 8, 9,
         "there is no file a.py", "the nearest is b.py"),
        (RevisionError("no such revision", ("revision",)), "A501", 3, 11, "no such revision",
         "write as `revision` a commit or tag that the repository has"),
        (ArchiveError("the archive is damaged"), "A501", 8, 9, "the archive is damaged",
         "name another archive of the release as `file` below `artifact`, or leave out `artifact` and use git"),
        (SourceError("a.py is not text", ("files", "a.py")), "A501", 8, 9, "a.py is not text",
         "remove it from `files`, and quote a file of text"),
        (SourceError("git failed", ("repository",)), "A501", 2, 13, "git failed",
         f"see that `repository` is right, and {AGAIN}"),
        (SourceError("git is needed"), "A501", 8, 9, "git is needed", AGAIN),
        (OfflineError("git said: no; a.py is not here", advice="connect to the network"), "A503", 8, 9,
         "git said: no; a.py is not here", "connect to the network; checks and builds need no network afterwards"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_brought_is_one_issue_in_the_manifest(
    project: Project, error: SourceError, code: str, line: int, column: int, message: str, hint: str
) -> None:
    project.error = error
    outcome = project.check()
    (issue,) = outcome.issues
    assert (issue.path, issue.line, issue.column, issue.code) == ("sources/project.yml", line, column, code)
    assert (issue.message, issue.hint) == (message, hint)
    assert outcome.checked is None


def test_an_empty_cache_without_a_network_is_one_issue(project: Project) -> None:
    outcome = check_project(
        project.root,
        project.root / "content",
        project.root / "sources",
        make_store=lambda atlas: SourceStore(
            {name: source.data for name, source in atlas.sources.items()},
            BlobCache(project.root / "cache"),
            offline=True,
        ),
        typesetter=accepts,
    )
    (issue,) = outcome.issues
    assert issue.code == "A503"
    assert "run `atlas fetch project`" in issue.hint


def test_a_site_may_link_what_is_not_at_hand(project: Project) -> None:
    project.error = OfflineError("a.py is not in the cache")
    outcome = project.check("link")
    assert outcome.issues == ()
    assert outcome.checked is not None
    (entry,) = outcome.checked.entries
    assert entry.claims[0].excerpt is None
    assert entry.claims[0].missing == "the pinned file was not at hand when this page was built"
    (proof,) = [proof for proof in entry.proofs if proof.claim == "excerpts"]
    assert (proof.status, proof.figure) == ("missing", "1 of 1 excerpts were not at hand")


def test_a_file_that_lies_fails_a_site_that_links_too(project: Project) -> None:
    project.error = HashMismatchError("the blob id of a.py", BLOB, "f" * 40)
    assert [issue.code for issue in project.check("link").issues] == ["A501"]


def test_a_pin_that_was_edited_is_one_issue_and_its_file_is_not_brought(project: Project) -> None:
    project.prove("f" * 40)
    project.error = SourceError("must not be asked for")
    assert project.found() == [("sources/project.yml", 8, 16, "A502")]


def test_a_release_tag_needs_no_proof_and_is_not_called_proved(project: Project) -> None:
    (project.root / "sources/pins.lock").unlink()
    project.replace("sources/project.yml", f"revision: {REVISION}", "revision: v1.0")
    outcome = project.check()
    assert outcome.issues == ()
    assert outcome.checked is not None
    (entry,) = outcome.checked.entries
    (proof,) = [proof for proof in entry.proofs if proof.claim == "excerpts"]
    assert proof.figure.endswith("for 1 the revision is a release that was not proved against git")


def test_a_manifest_that_is_not_sound_is_the_only_issue(project: Project) -> None:
    project.replace("sources/project.yml", "license: MIT\n", "")
    assert project.found() == [("sources/project.yml", 1, 1, "A102")]


@pytest.mark.parametrize(
    ("old", "new", "line", "code"),
    [
        ("lines: 4-11", "lines: 5-11", 28, "A505"),
        ("lines: 4-11", "lines: 1-99", 28, "A504"),
        ("lines: 4-11", "lines: 1-11", 0, ""),
        ("first_symbol: Layer", "first_symbol: base", 30, "A505"),
        ("    symbol: Layer\n", "    symbol: Laier\n", 29, "A505"),
        ("call: other.norm", "call: other.norms", 31, "A505"),
        ("symbol: Layer\n  arguments", "symbol: base\n  arguments", 12, "A506"),
        ("name: project.Layer", "name: project.Player", 12, "A506"),
        (
            "name: project.Layer\n  excerpt: layer\n  symbol: Layer\n",
            "name: project.base\n  excerpt: layer\n  symbol: base\n",
            14,
            "A506",
        ),
    ],
)
def test_the_first_thing_that_a_passage_lacks_is_reported(
    project: Project, old: str, new: str, line: int, code: str
) -> None:
    project.replace("content/library/layer.yml", old, new)
    found = [(one[1], one[3]) for one in project.found()]
    assert found == ([(line, code)] if code else [])


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ("5-11", "Layer is defined on lines 4-11"),
        ("14-17", "Layer is defined on lines 4-11"),
        ("4-9", "other.norm is called at line 11"),
    ],
)
def test_lines_that_lack_what_the_file_has_are_told_where_it_is(project: Project, lines: str, hint: str) -> None:
    project.replace("content/library/layer.yml", "lines: 4-11", f"lines: {lines}")
    (issue,) = project.check().issues
    assert (issue.code, issue.line, issue.hint) == ("A505", 28, hint)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("    size: {type: int, text: Units.}\n", "", 15, "takes (size, eps), but (eps) are documented"),
        ("    eps: {type: float, default", "    epz: {type: float, default", 17, "takes no argument epz"),
        ("default: '1e-6'", "default: '1e-5'", 17, "has the default 1e-6 in the source, not 1e-5"),
        ("size: {type: int,", "size: {type: int, default: '5',", 16, "has the default none in the source, not 5"),
        ("    x: {type: array, text: The batch.}", "    y: {type: array, text: The batch.}", 19, "no argument y"),
        ("    gamma: {", "    gama: {", 21, "sets no attribute gama"),
        ("  excerpt: layer\n", "  excerpt: layer\n  experimental: true\n", 14, "does not announce itself as exper"),
    ],
)
def test_api_documentation_that_is_not_the_sources(
    project: Project, old: str, new: str, line: int, message: str
) -> None:
    project.replace("content/library/layer.yml", old, new)
    (issue,) = project.check().issues
    assert (issue.code, issue.line) == ("A506", line)
    assert message in issue.message
    assert bool(issue.hint)


def test_a_class_without_a_call_of_its_own_is_called_by_forward(project: Project) -> None:
    project.text = SOURCE.replace("def __call__(self, x)", "def forward(self, x)")
    assert project.check().issues == ()
    project.text = SOURCE.replace("def __call__(self, x)", "def backward(self, x)")
    assert [issue.code for issue in project.check().issues] == ["A506"]


ARGUMENTS = """\
  arguments:
    size: {type: int, text: Units.}
    eps: {type: float, default: '1e-6', text: Small.}
"""
CONSTRUCTOR = """\
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.add_param("gamma")
        self.eps = eps

"""
ATTRIBUTES = """\
  attributes:
    gamma: {type: array, text: Gain.}
    eps: {type: float, text: Small.}
"""


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("src/models/one/modelling_one.py", "src/models/one/modeling_one.py"),
        ("src/model/one/modeling_one.py", "src/models/one/modeling_one.py"),
        ("models/one/modeling_one.py", "src/models/one/modeling_one.py"),
        ("src.models.one.modeling_one", "src/models/one/modeling_one.py"),
        ("SRC/models/one/Modeling_one.py", "src/models/one/modeling_one.py"),
        ("src/models/ona/modeling_ona.py", ""),
        ("src/models/one/configuration_one.py", ""),
        ("src/models/three/modeling_three.py", ""),
        ("modeling_one.py", ""),
        ("b.py", ""),
    ],
)
@pytest.mark.parametrize("is_package", [False, True], ids=["repository", "package"])
def test_a_file_that_is_not_pinned_was_misspelt_or_is_yet_to_be_pinned(
    project: Project, path: str, meant: str, is_package: bool
) -> None:
    there = "".join(f"  src/models/{name}/modeling_{name}.py: {{blob: {BLOB}}}\n" for name in ("one", "two"))
    project.replace("sources/project.yml", "files:\n", f"files:\n{there}")
    origin = f"https://git.example/owner/project@{REVISION}"
    if is_package:
        origin = "project==1.0"
        archive = f"artifact: {{pypi: {origin}, file: project-1.0.tar.gz, sha256: '{'0' * 64}'}}\n"
        project.replace("sources/project.yml", "files:\n", f"{archive}files:\n")
    project.replace("content/library/layer.yml", "path: a.py", f"path: {path}")
    (issue,) = (one for one in project.check().issues if one.code == "A117")
    assert (issue.path, issue.message) == ("content/library/layer.yml", f"sources/project.yml does not pin {path}")
    assert issue.hint == (f"did you mean `{meant}`?" if meant else f"pin it: `atlas pin {origin} {path}`")


def test_a_class_without_a_constructor_is_documented_without_arguments(project: Project) -> None:
    project.text = SOURCE.replace(CONSTRUCTOR, "").replace("other.norm(x, self.eps)", "other.norm(x)")
    layer = "content/library/layer.yml"
    project.replace(layer, ATTRIBUTES, "")
    project.replace(layer, "lines: 4-11", "lines: 4-6")
    (issue,) = project.check().issues
    assert (issue.line, issue.code) == (15, "A506")
    assert issue.message == "Layer has no __init__ of its own in a.py, nor has a base that the file defines"
    assert issue.hint.startswith("leave out `arguments`")
    project.replace(layer, ARGUMENTS, "  arguments: {}\n")
    assert project.check().issues == ()
    project.replace(layer, "  arguments: {}\n", "")
    assert project.check().issues == ()
    project.text = SOURCE
    project.replace(layer, "lines: 4-6", "lines: 4-11")
    assert [one.message for one in project.check().issues] == [
        "Layer.__init__ takes (size, eps), but () are documented"
    ]


@pytest.mark.parametrize("base", ["Base", "Generic[T], Base", "Between"])
def test_a_constructor_and_a_call_of_a_base_in_the_file_are_those_of_the_class(project: Project, base: str) -> None:
    body = SOURCE.partition("class Layer(Base):\n")[2].partition("\n\ndef base")[0]
    above = f"class Base(Elsewhere):\n{body}\n\nclass Between(Base):\n    pass\n\n\n"
    project.text = f"import other\n\n\n{above}class Layer({base}):\n    scale = 2\n"
    layer = "content/library/layer.yml"
    project.replace(layer, ATTRIBUTES, "")
    project.replace(layer, "lines: 4-11", "lines: 17-18")
    project.replace(layer, "    call: other.norm\n", "")
    assert project.check().issues == ()
    project.replace(layer, "default: '1e-6'", "default: '1e-5'")
    (issue,) = project.check().issues
    assert issue.message == "eps of Base.__init__ has the default 1e-6 in the source, not 1e-5"


def test_classes_that_inherit_from_each_other_end(project: Project) -> None:
    project.text = "class Layer(Base):\n    pass\n\n\nclass Base(Layer):\n    pass\n"
    project.replace("content/library/layer.yml", "lines: 4-11", "lines: 1-2")
    assert {issue.code for issue in project.check().issues} == {"A505", "A506"}


def test_arguments_in_another_order(project: Project) -> None:
    project.replace("content/library/layer.yml", "    size: {type: int, text: Units.}\n", "")
    project.replace(
        "content/library/layer.yml", "  call_arguments:", "    size: {type: int, text: Units.}\n  call_arguments:"
    )
    (issue,) = project.check().issues
    assert issue.code == "A506"
    assert issue.message.endswith("takes (size, eps), but (eps, size) are documented")


def test_a_file_that_is_not_todays_python_gives_issues(project: Project) -> None:
    project.text = SOURCE.replace("super().__init__()", 'print "made"')
    found = project.check().issues
    assert found
    assert {issue.code for issue in found} <= {"A505", "A506"}
