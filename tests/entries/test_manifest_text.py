"""Manifests as text: what is written says what was meant, and an edit leaves the rest of a file alone."""

from __future__ import annotations

from typing import Any

import pytest

from atlas.entries.manifest import Manifest
from atlas.entries.manifest_text import changed_manifest, new_manifest
from atlas.entries.tree import Document, parse
from atlas.exceptions import EditError

BLOBS = {name: digit * 40 for name, digit in zip(("a.py", "b/c d.py", "12", "z.py"), "1a2b", strict=True)}
ARTIFACT = {"pypi": "net==1.0", "file": "net-1.0.tar.gz", "sha256": "0" * 64}


def manifest(*names: str, **changes: Any) -> Manifest:
    raw = {
        "title": "Net: one", "repository": "https://git.example/a/net", "revision": "1" * 40, "license": "MIT",
        "license_text": "licenses/MIT.txt", "copyright": "2020 A # B", "artifact": ARTIFACT,
        "files": {name: {"blob": BLOBS[name]} for name in names or ("b/c d.py",)},
    }  # fmt: skip
    return Manifest.model_validate({name: value for name, value in (raw | changes).items() if value is not None})


def sound(text: str) -> Document:
    document, issues = parse(text, "sources/net.yml")
    assert issues == []
    assert document is not None
    return document


@pytest.mark.parametrize("release", [None, "1.0", "v1.0"])
@pytest.mark.parametrize("artifact", [None, ARTIFACT, ARTIFACT | {"strip": "src"}])
def test_a_new_manifest_says_what_was_meant(release: str | None, artifact: dict[str, str] | None) -> None:
    meant = manifest(*BLOBS, release=release, artifact=artifact)
    text = new_manifest(meant)
    assert Manifest.model_validate(sound(text).value) == meant
    assert text.index("title:") < text.index("revision:") < text.index("files:")
    # A commit of decimal digits alone is a number unless it is quoted.
    assert f"revision: '{'1' * 40}'\n" in text


def test_what_no_manifest_may_hold_is_not_written() -> None:
    with pytest.raises(EditError, match=r"cannot be written as it would be: the file holds the invisible .* U\+202E"):
        new_manifest(manifest(title="a\u202eb"))


WRITTEN = f"""# Ours.
title: 'Net: one'   # as people say
license: MIT
license_text: licenses/MIT.txt
copyright: "2020 A # B"

repository: https://git.example/a/net
revision: '{"1" * 40}' # proved
artifact:   # the archive
  sha256: '{"0" * 64}'
  pypi: net==1.0
  file: net-1.0.tar.gz
files:
  # the only one
  b/c d.py: {{blob: {"a" * 40}}}
# end
"""


def test_moving_changes_the_values_that_differ() -> None:
    old, other = manifest(), {"pypi": "net==2.0", "file": "net-2.0-py3-none-any.whl", "sha256": "f" * 64}
    files = {"b/c d.py": {"blob": "c" * 40}}
    new = manifest(revision="2" * 40, release="v2.0", artifact=other, files=files)
    text = changed_manifest(sound(WRITTEN), old, new)
    assert text == WRITTEN.replace("1" * 40 + "' # proved", "2" * 40 + "' # proved\nrelease: v2.0").replace(
        "0" * 64, "f" * 64
    ).replace("net==1.0", "net==2.0").replace("net-1.0.tar.gz", "net-2.0-py3-none-any.whl").replace("a" * 40, "c" * 40)
    assert changed_manifest(sound(text), new, old) == WRITTEN
    gone = changed_manifest(sound(WRITTEN), old, manifest(artifact=None))
    assert gone == WRITTEN.replace(WRITTEN[WRITTEN.index("artifact:") : WRITTEN.index("files:")], "")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_files_are_added_in_their_order(ending: str) -> None:
    text = changed_manifest(sound(WRITTEN.replace("\n", ending)), manifest(), manifest(*BLOBS))
    one, two, three = (
        f"  {name}: {{blob: {blob}}}"
        for name, blob in (("'12'", "'" + "2" * 40 + "'"), ("a.py", "'" + "1" * 40 + "'"), ("z.py", "b" * 40))
    )
    expected = WRITTEN.replace("files:\n", f"files:\n{one}\n{two}\n").replace("# end", f"{three}\n# end")
    assert text == expected.replace("\n", ending)


def test_files_in_braces_are_added_too() -> None:
    block = WRITTEN[WRITTEN.index("files:") :]
    braces = WRITTEN.replace(block, f"files: {{b/c d.py: {{blob: {'a' * 40}}}}}  # all\n")
    text = changed_manifest(sound(braces), manifest(), manifest("b/c d.py", "z.py"))
    assert text == braces.replace("files: {", f"files: {{z.py: {{blob: {'b' * 40}}}, ")


def test_a_file_that_an_edit_does_not_fit_is_refused() -> None:
    braces = "{" + ", ".join(line for line in new_manifest(manifest(artifact=None)).splitlines() if "files" not in line)
    braces = braces.replace(f"  b/c d.py: {{blob: {'a' * 40}}}", f"files: {{b/c d.py: {{blob: {'a' * 40}}}}}") + "}\n"
    document = sound(braces)
    with pytest.raises(EditError, match=r"sources/net\.yml is written in a way that this edit does not fit"):
        changed_manifest(document, manifest(artifact=None), manifest(artifact=None, release="v1"))
