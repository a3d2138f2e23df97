"""The small atlas that `atlas init` writes: content that passes every check, and what surrounds it.

Its entries are the base of the examples that explain issue codes too, so that tests run them all the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import distribution, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from atlas.exceptions import ProjectError
from atlas.files import write_whole

PACKAGE = "openmodelatlas"
"""The distribution that this program belongs to."""

PLACES = {"gitignore": ".gitignore", "workflow.yml": ".github/workflows/site.yml"}
"""Files that lie under another name here, so that nothing takes them for this repository's own."""

REPOSITORY = re.compile(r"https://(?P<host>[A-Za-z0-9.-]+)/(?P<owner>[A-Za-z0-9._~-]+)/(?P<name>[A-Za-z0-9._~/-]+)")
HOME = "https://github.com/openmodelatlas/openmodelatlas"
"""The repository that the program comes from."""
LONGEST_TITLE = 200


def starter_entries() -> dict[str, str]:
    """The starter's content and sources: text by path."""
    folder = files("atlas.scaffold") / "starter"
    return {path: text for path, text in _texts(folder, "") if path.startswith(("content/", "sources/"))}


def starter_files(title: str, repository: str | None) -> dict[str, str]:
    """All files of a new atlas: text by path.

    Raises:
        ProjectError: the title or the repository's address cannot be used.
    """
    if not title.strip() or not title.isprintable() or len(title) > LONGEST_TITLE:
        raise ProjectError(f"a title is one line of 1 to {LONGEST_TITLE} printable characters")
    folder = files("atlas.scaffold") / "starter"
    found = {PLACES.get(path, path): text for path, text in _texts(folder, "")}
    found["README.md"] = Template(found["README.md"]).substitute(title=title)
    found["mkdocs.yml"] = _settings(title, repository)
    found["requirements.txt"] = requirement(version(PACKAGE), distribution(PACKAGE).read_text("direct_url.json"))
    return dict(sorted(found.items()))


def requirement(number: str, origin: str | None) -> str:
    """What a new atlas is installed with: this program, from where it came.

    Args:
        number: Its version.
        origin: What `direct_url.json` says of its installation (PEP 610); None where it came from a package index.
    """
    came = json.loads(origin) if origin else {}
    if repository := came.get("vcs_info"):
        return f"{PACKAGE} @ {repository['vcs']}+{came['url']}@{repository['commit_id']}\n"
    released = f"{PACKAGE}=={number}\n"
    if not came:
        return released
    return (
        "# This atlas was made by a program from a folder or file, which others do not have. As long as the release\n"
        "# below is not published, write in its place:\n"
        f"# {PACKAGE} @ git+{HOME}\n{released}"
    )


def write_starter(folder: Path, texts: dict[str, str]) -> None:
    """Write a new atlas into a folder that is empty, or not there yet; git's own folder may be in it.

    Raises:
        ProjectError: the folder holds something, or is none.
    """
    if folder.exists() and not folder.is_dir():
        raise ProjectError(f"{folder} is a file; name a folder that is empty or does not exist yet")
    held = sorted(one.name for one in folder.iterdir() if one.name != ".git") if folder.is_dir() else []
    if held:
        more = f" and {len(held) - 1} more" if len(held) > 1 else ""
        raise ProjectError(
            f"{folder} is not empty: it holds {held[0]}{more}; name a folder that is empty or does not exist yet"
        )
    for path, text in texts.items():
        write_whole(folder / path, text)


def _texts(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    """Every file below a folder of the package."""
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            yield from _texts(one, f"{prefix}{one.name}/")
        else:
            yield f"{prefix}{one.name}", one.read_text(encoding="utf-8")


def _settings(title: str, repository: str | None) -> str:
    """The text of mkdocs.yml; a JSON string is a YAML string too."""
    lines = [f"site_name: {json.dumps(title, ensure_ascii=False)}", *_addresses(repository)]
    lines += [
        "",
        "docs_dir: content",
        "theme: openmodelatlas",
        "plugins:",
        "  - atlas:",
        "      sources: sources",
        "",
        "# With --strict, each of these stops the build.",
        "validation:",
        "  omitted_files: warn",
        "  absolute_links: warn",
        "  unrecognized_links: warn",
        "  anchors: warn",
    ]
    return "\n".join(lines) + "\n"


def _addresses(repository: str | None) -> list[str]:
    """What a repository's address says of where pages lie and are edited."""
    if repository is None:
        return []
    address = repository.rstrip("/").removesuffix(".git")
    match = REPOSITORY.fullmatch(address)
    if match is None:
        raise ProjectError(
            f"{repository} is not the https address of a repository, such as https://github.com/me/atlas"
        )
    lines = [f"repo_url: {address}"]
    if match["host"] == "github.com":
        owner, name = match["owner"], match["name"]
        own = f"{owner.lower()}.github.io"
        lines.insert(0, f"site_url: https://{own}/" + ("" if name.lower() == own else f"{name}/"))
        lines.append("edit_uri: edit/main/content/")
    elif "gitlab" in match["host"]:
        lines.append("edit_uri: -/edit/main/content/")
    return lines
