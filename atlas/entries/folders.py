"""What lies in a folder: the files that may be read, and what is none of them, such as a link that leads elsewhere.

MkDocs copies everything below its folder into the site and follows every link, so all of it is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

YAML_SUFFIXES = (".yml", ".yaml")
"""What the names of YAML files end in; the second is refused with a hint."""
DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)))
)
"""Names that Windows keeps for devices, whatever follows after a dot."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing in a folder that is no folder to go into."""

    path: Path
    """Where it is."""
    problem: str = ""
    """Why it may not be read, or an empty text."""


def below(folder: Path) -> Iterator[Found]:
    """Everything below a folder except its folders, in the order of paths; links to folders are not followed."""
    top = Path(os.path.realpath(folder))
    yield from sorted(_below(folder, top), key=lambda found: found.path)


def yaml_files(folder: Path) -> Iterator[Path]:
    """Every YAML file below a folder that may be read, sorted."""
    return (found.path for found in below(folder) if found.path.suffix in YAML_SUFFIXES and not found.problem)


def shown_path(path: Path, root: Path) -> str:
    """The path as issues name it: relative to the project where it is inside, with forward slashes."""
    return Path(os.path.relpath(path, root)).as_posix()


def is_device(name: str) -> bool:
    """Whether Windows takes a file name for a device."""
    return name.partition(".")[0].rstrip(" ").lower() in DEVICES


def _below(folder: Path, top: Path) -> Iterator[Found]:
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                listed = list(entries)
        except OSError as error:
            yield Found(Path(str(error.filename)), f"the folder cannot be read: {error.strerror}")
            continue
        for entry in listed:
            path = Path(entry.path)
            if entry.is_symlink() and not path.exists():
                continue  # as editors leave them to lock a file; or it leads to itself
            if entry.is_symlink():
                yield Found(path, _problem_of_link(path, top))
            elif entry.is_dir():
                waiting.append(path)
            else:
                yield Found(path, "" if entry.is_file() else "this is no file but a pipe, a socket or a device")


def _problem_of_link(path: Path, top: Path) -> str:
    """Why a link may not be followed, or an empty text where it leads to a file beside it."""
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(top):
        return "the file is a link that leads out of its folder"
    return "" if target.is_file() else "this is a link to a folder, which is not followed"
