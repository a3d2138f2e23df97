"""Manifests as text: a new one written, one that people wrote changed without touching what they wrote beside it.

Every text is read again before anybody gets it, and is refused unless it says exactly what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from atlas.entries.manifest import Manifest
from atlas.entries.rewrite import Edit, as_key, as_written, edited, inserted_line, line_after, offset, replaced, without
from atlas.entries.tree import Document, parse
from atlas.entries.validate import place, place_of_key, validate
from atlas.exceptions import EditError

FIELDS = ("title", "repository", "revision", "release", "license", "license_text", "copyright")


def new_manifest(manifest: Manifest) -> str:
    """The text of a manifest, its fields in the order of the schema.

    Raises:
        EditError: it holds what no manifest may, such as characters that change the direction of text.
    """
    values = {name: getattr(manifest, name) for name in FIELDS}
    lines = [f"{name}: {as_written(value)}" for name, value in values.items() if value is not None]
    if manifest.artifact is not None:
        stated = manifest.artifact.model_dump(exclude_none=True)
        lines += ["artifact:", *(f"  {name}: {as_written(value)}" for name, value in stated.items())]
    lines += ["files:", *(_file_line(path, manifest) for path in sorted(manifest.files))]
    text = "\n".join([*lines, ""])
    if (fault := _fault(text, manifest)) is not None:
        raise EditError(f"the manifest cannot be written as it would be{fault}; state what is wrong in it otherwise")
    return text


def changed_manifest(document: Document, old: Manifest, new: Manifest) -> str:
    """The text of a manifest's file, edited so that it says what `new` says.

    What can change is the revision, the release, the archive, the blobs of files, and which files there are beside
    those that it has.

    Raises:
        EditError: the file is written in a way that these edits do not fit.
    """
    text = document.texts[document.path]
    changed = edited(text, _edits(document, text, old, new))
    if (fault := _fault(changed, new)) is not None:
        raise EditError(f"{document.path} is written in a way that this edit does not fit{fault}; edit it by hand")
    return changed


def _edits(document: Document, text: str, old: Manifest, new: Manifest) -> Iterator[Edit]:
    yield from _revision(document, old, new)
    yield from _artifact(document, old, new)
    for path, file in new.files.items():
        if path in old.files and file != old.files[path]:
            yield replaced(document, ("files", path, "blob"), file.blob)
    yield from _added(document, text, old, new)


def _revision(document: Document, old: Manifest, new: Manifest) -> Iterator[Edit]:
    if new.revision != old.revision:
        yield replaced(document, ("revision",), new.revision)
    if new.release is None and old.release is not None:
        yield without(document, "release")
    elif new.release is not None and old.release is None:
        yield line_after(document, "revision", f"release: {as_written(new.release)}")
    elif new.release is not None and new.release != old.release:
        yield replaced(document, ("release",), new.release)


def _artifact(document: Document, old: Manifest, new: Manifest) -> Iterator[Edit]:
    if old.artifact is not None and new.artifact is None:
        yield without(document, "artifact")
    elif old.artifact is not None and new.artifact is not None:
        for name in ("pypi", "file", "sha256"):
            if getattr(new.artifact, name) != getattr(old.artifact, name):
                yield replaced(document, ("artifact", name), getattr(new.artifact, name))


def _added(document: Document, text: str, old: Manifest, new: Manifest) -> Iterator[Edit]:
    """New files, each after the one before it in the order of paths; those after the same one in one edit."""
    added: dict[str | None, list[str]] = {}
    for path in sorted(new.files.keys() - old.files.keys()):
        added.setdefault(max((other for other in old.files if other < path), default=None), []).append(path)
    first = next(iter(old.files))
    mark = place(document, ("files",))
    in_braces = text.startswith("{", offset(text, mark))
    for before, paths in added.items():
        if in_braces:
            start = offset(text, place_of_key(document, ("files", first)))
            items = "".join(f"{as_key(path)}: {{blob: {as_written(new.files[path].blob)}}}, " for path in paths)
            yield Edit(start, start, items)
            continue
        indent = " " * (place_of_key(document, ("files", first)).column - 1)
        lines = [indent + _file_line(path, new).strip() for path in paths]
        where = ("files", before) if before is not None else ("files",)
        # Below the line of the key `files`, or below the last line of the file before.
        last = (
            max(one.line for path, one in document.marks.items() if path[:2] == where)
            if before is not None
            else place_of_key(document, ("files",)).line
        )
        ending = "\r\n" if "\r\n" in text else "\n"
        yield inserted_line(text, last + 1, ending.join(lines))


def _file_line(path: str, manifest: Manifest) -> str:
    return f"  {as_key(path)}: {{blob: {as_written(manifest.files[path].blob)}}}"


def _fault(text: str, meant: Manifest) -> str | None:
    """None for a text that says what is meant; else what is wrong with it, as far as that can be told."""
    document, issues = parse(text, "")
    found, more = validate(document, Manifest) if document is not None else (None, [])
    if found == meant and not issues and not more:
        return None
    return next((f": {issue.message}" for issue in [*issues, *more]), "")
