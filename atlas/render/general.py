"""What every page of a site follows from besides its content: code, templates, libraries, settings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from atlas.kept import code_digest, version_of
from atlas.render.site import Settings

TEMPLATES = (".html", ".md")
"""How the names of files end that shape a page and its other forms."""
SAMPLE = "a folder/a file.yml"
"""A path by whose address for editing one tells how all of them are formed."""


def general_key(settings: Settings) -> str:
    """A digest of all that."""
    digest = hashlib.sha256(code_digest(".").encode())
    for library in ("jinja2", "markupsafe", "mdit-py-plugins"):
        digest.update(f"{library} {version_of(library)}\0".encode())
    for name, content in _templates([*settings.templates, Path(str(files("openmodelatlas_theme")))]):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    said = (
        settings.site_name,
        settings.site_url,
        settings.data_license,
        settings.missing_sources,
        settings.has_folders,
    )
    place = settings.content.relative_to(settings.root) if settings.content.is_relative_to(settings.root) else None
    digest.update(repr((said, settings.has_folders, place, settings.edit_address(SAMPLE))).encode())
    return digest.hexdigest()


def _templates(folders: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    for number, folder in enumerate(folders):
        for file in sorted(folder.rglob("*")):
            if file.suffix in TEMPLATES and file.is_file():
                yield f"{number}/{file.relative_to(folder).as_posix()}", file.read_bytes()
