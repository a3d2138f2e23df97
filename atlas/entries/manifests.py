"""The folder of sources → its manifests, each with the licence beside it, and what is wrong with them.

They are apart from the loading of collections, as a build reads all of them even where no collection is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from atlas.entries.atlas import Source
from atlas.entries.folders import shown_path
from atlas.entries.manifest import Manifest
from atlas.entries.survey import Survey, readable
from atlas.entries.tree import read
from atlas.entries.validate import validate
from atlas.exceptions import FileTooLargeError
from atlas.files import read_text
from atlas.issues import Issue

MAX_LICENCE = 1_000_000
"""The longest licence text that is read, in bytes."""


def load_sources(found: Survey) -> tuple[dict[str, Source], frozenset[str], list[Issue]]:
    """The manifests that are sound by id, the ids of those that are there but are not, and why they are not."""
    issues: list[Issue] = []
    if not found.whole or not found.sources.is_dir():
        return {}, frozenset(), issues
    manifests = dict(_sources(found, issues))
    sound = {name: source for name, source in manifests.items() if source is not None}
    return sound, frozenset(manifests.keys() - sound.keys()), issues


def _sources(found: Survey, issues: list[Issue]) -> Iterator[tuple[str, Source | None]]:
    """Each manifest by its id; None where it is not sound."""
    folder, refused = found.sources, set[str]()
    for one in readable(folder, found.root, refused, issues):
        file = one.path
        shown = shown_path(file, found.root)
        if file.parent != folder:
            message = "a manifest stands directly in the folder of sources"
            issues.append(Issue(shown, 0, 0, "A114", message, "move it there"))
            continue
        document, wrong = read(file, shown)
        issues += wrong
        manifest, wrong = validate(document, Manifest) if document is not None else (None, [])
        issues += wrong
        if document is None or manifest is None or document.doubtful:
            yield file.stem, None
            continue
        licence, problem = _licence(_inside(folder / manifest.license_text, folder))
        source = Source(file.stem, file, document, manifest, licence)
        if problem:
            message = f"{problem} {manifest.license_text} beside the manifest"
            issues.append(source.issue(("license_text",), "A125", message, "add the project's own text"))
        yield file.stem, source
    yield from ((name, None) for name in refused if (folder / name).parent == folder)


def _licence(file: Path) -> tuple[str, str]:
    """A licence's text, and why it cannot be shown or an empty text."""
    try:
        text = read_text(file, MAX_LICENCE) if file.is_file() else None
    except OSError:
        text = None
    except FileTooLargeError:
        return "", "longer than any licence is the text in"
    except UnicodeDecodeError:
        return "", "not UTF-8 is the licence text"
    if text is None:
        return "", "there is no licence text"
    sound = all(char.isprintable() or char in "\n\r\t\f" for char in text)
    return text, "" if sound else "invisible characters are in the licence text"


def _inside(path: Path, folder: Path) -> Path:
    """The path, or the folder itself where the path leads out of it."""
    return path if path.resolve().is_relative_to(folder.resolve()) else folder
