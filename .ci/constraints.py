"""Writes constraints.txt: the exact version of everything that set-up installs, for every supported Python.

Pip resolves for one interpreter at a time and never for another system's needs, so this asks it once per Python and
adds what its answer leaves out; where Pythons differ, a line carries the marker that says for which it holds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "constraints.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
)
HEADER = """\
# The exact version of everything that `make` installs, for Python 3.11 to 3.14. Written by `make constraints`.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A package that pip chose."""

    name: str
    """Its normalized name."""
    version: str
    """The version chosen."""
    needs: tuple[Requirement, ...]
    """What it depends on, on any system and with any extra."""


def main() -> None:
    """Resolve for every Python and write the file."""
    if sys.version_info[:2] != (3, 11):
        # Pip judges markers by the interpreter that runs it; the oldest Python needs the most backports.
        sys.exit(f"constraints are made with Python {PYTHONS[0]}, and this is {sys.version.split()[0]}")
    roots = wanted(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    versions: dict[str, dict[str, str]] = {}
    for python in PYTHONS:
        for one in resolve(python, roots):
            versions.setdefault(one.name, {})[python] = one.version
    lines = [f"{line}\n" for name in sorted(versions) for line in pins(name, versions[name])]
    TARGET.write_text(HEADER + "".join(lines), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{TARGET.name}: {len(versions)} packages\n")


def wanted(pyproject: Mapping[str, Mapping[str, object]]) -> list[str]:
    """What the project and its extras ask for, what builds it, and pip, which installs it."""
    project = pyproject["project"]
    extras = project["optional-dependencies"]
    groups = [project["dependencies"], pyproject["build-system"]["requires"]]
    groups += extras.values() if isinstance(extras, dict) else ()
    texts = [str(text) for group in groups if isinstance(group, list) for text in group]
    return ["pip", *(text for text in texts if Requirement(text).name != project["name"])]


def resolve(python: str, roots: Iterable[str]) -> list[Found]:
    """The newest versions that fit together and have wheels for a Python, and what other systems need as well."""
    asked = list(roots)
    while True:
        found = ask_pip(python, asked)
        names = {one.name for one in found}
        missing = {
            f"{need.name}{need.specifier}"
            for one in found
            for need in one.needs
            if canonicalize_name(need.name) not in names and is_needed(need, python)
        }
        if not missing:
            return found
        asked += sorted(missing)


def is_needed(need: Requirement, python: str) -> bool:
    """Whether some system needs it, without any extra; what an extra brings is asked for by name."""
    environment = {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    return need.marker is None or any(need.marker.evaluate({**environment, **system}) for system in SYSTEMS)


def ask_pip(python: str, requirements: Iterable[str]) -> list[Found]:
    """Everything that pip would install, as wheels."""
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        how = ["--quiet", "--dry-run", "--ignore-installed", "--report", str(report), "--target", f"{folder}/target"]
        which = ["--python-version", python, "--only-binary=:all:", *requirements]
        # Pip of this interpreter, with what pyproject.toml asks for.
        subprocess.run([sys.executable, "-m", "pip", "install", *how, *which], check=True)  # noqa: S603 - no shell
        chosen = [one["metadata"] for one in json.loads(report.read_text(encoding="utf-8"))["install"]]
    # What an index adds to a version, such as `+cpu`, names a build of its own; others have the same version without.
    return [
        Found(
            canonicalize_name(one["name"]),
            Version(one["version"]).public,
            tuple(map(Requirement, one.get("requires_dist", ()))),
        )
        for one in chosen
    ]


def pins(name: str, versions: Mapping[str, str]) -> list[str]:
    """One line for each version of a package, with the Pythons that have it where there are several.

    One version holds for every Python, also where not all need the package: a constraint installs nothing.
    """
    lines = []
    for version in sorted(set(versions.values()), key=Version):
        pythons = [python for python in PYTHONS if versions.get(python) == version]
        marker = " or ".join(f'python_version == "{python}"' for python in pythons)
        lines.append(f"{name}=={version}" + ("" if len(set(versions.values())) == 1 else f" ; {marker}"))
    return lines


if __name__ == "__main__":
    main()
