"""What is installed for other projects: everything that is needed at run time, and nothing else.

That a project elsewhere can be built with it is proved by `.ci/elsewhere.py`, which needs minutes and a network.
"""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from email.message import Message
from email.parser import HeaderParser
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"atlas": "atlas", "templates": "openmodelatlas_theme"}
"""The folders of the checkout that are shipped, and their names in the wheel."""
NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a wheel is made of, so that building leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("source")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=NOT_SHIPPED)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert int(version("setuptools").split(".")[0]) >= 80, "setuptools is too old: install the extra `test`"
    target = tmp_path_factory.mktemp("wheel")
    how = ["--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(target)]
    done = subprocess.run(  # noqa: S603 - pip of this Python, with arguments of this file
        [sys.executable, "-m", "pip", "wheel", *how, str(source)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def about(wheel: Path, name: str) -> str:
    """A file of the wheel's dist-info folder."""
    with ZipFile(wheel) as archive:
        (path,) = (one for one in archive.namelist() if one.endswith(f".dist-info/{name}"))
        return archive.read(path).decode()


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    return HeaderParser().parsestr(about(wheel, "METADATA"))


def test_the_wheel_holds_every_file_of_the_package_and_of_the_theme_and_no_other(source: Path, names: set[str]) -> None:
    expected = {
        str(PurePosixPath(shipped, path.relative_to(source / folder).as_posix()))
        for folder, shipped in FOLDERS.items()
        for path in (source / folder).rglob("*")
        if path.is_file()
    }
    assert {name for name in names if ".dist-info/" not in name} == expected


@pytest.mark.parametrize(
    "name",
    [
        "atlas/py.typed",
        "atlas/explain/catalogue/proofs.yml",
        "atlas/scaffold/starter/workflow.yml",
        "atlas/node/server.mjs",
        "atlas/node/layout.mjs",
        "atlas/node/mathml.mjs",
        "atlas/node/package.json",
        "atlas/node/package-lock.json",
        "openmodelatlas_theme/__init__.py",
        "openmodelatlas_theme/mkdocs_theme.yml",
        "openmodelatlas_theme/main.html",
        "openmodelatlas_theme/markdown/component.md",
        "openmodelatlas_theme/img/card.png",
    ],
)
def test_what_the_program_looks_for_by_name_is_there(names: set[str], name: str) -> None:
    assert name in names


def test_mkdocs_finds_the_plugin_and_the_theme_by_name_and_the_shell_the_command(wheel: Path) -> None:
    points = configparser.ConfigParser()
    points.read_string(about(wheel, "entry_points.txt"))
    assert dict(points["mkdocs.plugins"]) == {"atlas": "atlas.plugin:AtlasPlugin"}
    assert dict(points["mkdocs.themes"]) == {"openmodelatlas": "openmodelatlas_theme"}
    assert dict(points["console_scripts"]) == {"atlas": "atlas.cli:main"}


def test_the_wheel_states_its_licence_and_what_it_needs(wheel: Path, metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    assert about(wheel, "licenses/LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert metadata["Requires-Python"] == ">=3.11"
    assert {"mkdocs<2,>=1.6.1"} <= set(metadata.get_all("Requires-Dist", []))
    assert {"node", "verify", "dask", "test", "browser", "release", "dev"} == set(
        metadata.get_all("Provides-Extra", [])
    )
