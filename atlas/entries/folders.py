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

    name: str
    """Where it is below the folder, with / between folders."""
    file: str
    """Its path; as a text, of which thousands are made sooner than as an object."""
    problem: str = ""
    """Why it may not be read, or an empty text."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.file)

    @property
    def suffix(self) -> str:
        """What follows in its name from the last dot on; nothing where that is at either end."""
        last = self.name[self.name.rfind("/") + 1 :]
        dot = last.rfind(".")
        return last[dot:] if 0 < dot < len(last) - 1 else ""


def below(folder: Path, also: tuple[str, ...] = ()) -> Iterator[Found]:
    """Everything below a folder except its folders, in the order of paths; links to folders are not followed.

    Folders whose names end in one of `also` are among it too, as they stand in the place of a file.
    """
    yield from sorted(_below(str(folder), Path(os.path.realpath(folder)), also), key=lambda one: one.name.split("/"))


def yaml_files(folder: Path) -> Iterator[Path]:
    """Every YAML file below a folder that may be read, sorted."""
    return (found.path for found in below(folder) if found.suffix in YAML_SUFFIXES and not found.problem)


def shown_path(path: Path, root: Path) -> str:
    """The path as issues name it: relative to the project where it is inside, with forward slashes."""
    return Path(os.path.relpath(path, root)).as_posix()


def is_device(name: str) -> bool:
    """Whether Windows takes a file name for a device."""
    return name.partition(".")[0].rstrip(" ").lower() in DEVICES


def _below(folder: str, top: Path, also: tuple[str, ...]) -> Iterator[Found]:
    waiting = [("", folder)]
    while waiting:
        around, place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                listed = list(entries)
        except OSError as error:
            yield Found(around.rstrip("/"), place, f"the folder cannot be read: {error.strerror}")
            continue
        for entry in listed:
            name = f"{around}{entry.name}"
            if entry.is_symlink():
                # One that leads nowhere is left out: editors leave such to lock a file; or it leads to itself.
                if Path(entry.path).exists():
                    yield Found(name, entry.path, _problem_of_link(entry.path, top))
            elif entry.is_dir():
                waiting.append((f"{name}/", entry.path))
                if entry.name.endswith(also):
                    yield Found(name, entry.path)
            else:
                problem = "" if entry.is_file() else "this is no file but a pipe, a socket or a device"
                yield Found(name, entry.path, problem)


def _problem_of_link(path: str, top: Path) -> str:
    """Why a link may not be followed, or an empty text where it leads to a file beside it."""
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(top):
        return "the file is a link that leads out of its folder"
    return "" if target.is_file() else "this is a link to a folder, which is not followed"
