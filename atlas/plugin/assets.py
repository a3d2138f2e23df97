"""The files beside the pages: what MkDocs is told of them, and how they come into the site, new or as they were.

Where other plugins take part, they are files like any other; else nothing of them is read or written before it must be.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

from atlas.exceptions import AtlasError
from atlas.issues import Issue
from atlas.plugin.pages import MAKER, NamedFile, shown_path
from atlas.plugin.reuse import Reuse
from atlas.render.site import Produced, SiteAsset, StoredBody, Streamed

_PROSE = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
"""How the names of files end that MkDocs makes pages of."""


def add_assets(files: Files, assets: Iterable[SiteAsset], config: MkDocsConfig, reuse: Reuse | None) -> list[Issue]:
    """Add the files beside the pages; one takes the place of a theme's file but not of the author's.

    Args:
        files: All files of the build.
        assets: The files beside the pages.
        config: The configuration of MkDocs.
        reuse: The present site as a source of files; None where other plugins may change any of them.
    """
    issues = []
    for asset in assets:
        # By the end of its name MkDocs would take a Markdown version for prose, and make a page of it.
        name = f"{asset.url}.txt" if asset.url.endswith(_PROSE) else asset.url
        existing = files.src_uris.get(name)
        if existing is not None and existing.src_dir == config.docs_dir:
            message = f"the file lies at the address {asset.url!r}, which the atlas writes itself"
            issues.append(Issue(shown_path(config, asset.url), 0, 0, "A901", message, "give the file another name"))
            continue
        if existing is not None:
            files.remove(existing)
        file = _open_file(asset, name, config) if reuse is None else AssetFile(asset, name, config, reuse)
        file.dest_uri = asset.url
        files.append(file)
    return issues


class AssetFile(NamedFile):
    """A file beside the pages in a build without other plugins."""

    def __init__(self, asset: SiteAsset, name: str, config: MkDocsConfig, reuse: Reuse) -> None:
        super().__init__(name, None, config.site_dir, config.use_directory_urls, inclusion=InclusionLevel.INCLUDED)
        self.generated_by = MAKER
        self.asset = asset
        self.is_done = False
        """Whether nothing is left to be done for it."""
        self._reuse = reuse
        if isinstance(asset.content, Path):
            self.abs_src_path = str(asset.content)

    @property
    def _content(self) -> bytes | str | None:  # type: ignore[override]  # what it holds, where it is no file yet
        content = self.asset.content
        return None if isinstance(content, Path) else _written(self.asset.url, content)

    def find_same(self) -> None:
        """Find out whether it is the present site's file, which stays or is linked later."""
        self.is_done = self.is_done or self._reuse.is_same(self.dest_uri, _digest(self.asset.content))

    def copy_file(self, dirty: bool = False) -> None:
        """Put the file in its place, if it is not there."""
        self.find_same()
        if self.is_done:
            return
        content = self.asset.content
        # Only what this build made may leave its place.
        if isinstance(content, Path) and Path(self.dest_dir).parent in content.parents:
            target = Path(self.abs_dest_path)
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):  # else the site is on another file system
                content.replace(target)
                return
        if isinstance(content, Streamed):
            target = Path(self.abs_dest_path)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(content.texts())
            return
        super().copy_file(dirty)


def _open_file(asset: SiteAsset, name: str, config: MkDocsConfig) -> File:
    """A file beside the pages as other plugins know files, with all that they may do to it."""
    included = InclusionLevel.INCLUDED
    if isinstance(asset.content, Path):
        return File.generated(config, name, abs_src_path=str(asset.content), inclusion=included)
    return File.generated(config, name, content=_written(asset.url, asset.content), inclusion=included)


def _written(url: str, content: bytes | StoredBody | Produced | Streamed) -> bytes | str:
    """What a file holds."""
    try:
        return content if isinstance(content, bytes) else content()
    except AtlasError as error:
        raise PluginError(f"/{url}: {error}") from error


def _digest(content: Path | bytes | StoredBody | Produced | Streamed) -> bytes:
    """A digest of what a file holds, taken when nothing changes it any more."""
    if isinstance(content, StoredBody | Produced | Streamed):
        return content.digest
    return blake2b(content if isinstance(content, bytes) else content.read_bytes(), digest_size=16).digest()
