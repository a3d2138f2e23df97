"""The files beside the pages: what MkDocs is told of them, and how they come into the site, new or as they were.

Where other plugins take part, they are files like any other; else nothing of them is read or written before it must be.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
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
        if (issue := _make_room(files, asset.url, config)) is not None:
            issues.append(issue)
            continue
        if reuse is not None:
            files.append(AssetFile(asset, config, reuse))
            continue
        file = _open_file(asset, config)
        file.dest_uri = asset.url
        files.append(file)
    return issues


def _make_room(files: Files, url: str, config: MkDocsConfig) -> Issue | None:
    """Take away the theme's file at an address, which another file has then; an author's stays, and is an issue."""
    existing = files.src_uris.get(_name(url))
    if existing is not None and existing.src_dir == config.docs_dir:
        message = f"the file lies at the address {url!r}, which the atlas writes itself"
        return Issue(shown_path(config, url), 0, 0, "A901", message, "give the file another name")
    if existing is not None:
        files.remove(existing)
    return None


def _name(url: str) -> str:
    """The name by which MkDocs knows a file: by the end of its own it would make a page of a Markdown version."""
    return f"{url}.txt" if url.endswith(_PROSE) else url


class AssetFile(NamedFile):
    """A file beside the pages in a build without other plugins."""

    def __init__(self, asset: SiteAsset, config: MkDocsConfig, reuse: Reuse) -> None:
        name, folder, urls = _name(asset.url), config.site_dir, config.use_directory_urls
        super().__init__(name, None, folder, urls, dest_uri=asset.url, inclusion=InclusionLevel.INCLUDED)
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

    def find_same(self) -> bool:
        """Find out whether it is the present site's file, which stays or is linked later."""
        self.is_done = self.is_done or self._reuse.is_same(self.dest_uri, _digest(self.asset.content))
        return self.is_done

    def write_by(self, write: Callable[[bytes | str, str], None]) -> None:
        """Have what the file holds written to its place, which is known not to have it.

        Raises:
            ValueError: it is a file to be copied, of which nothing is made.
        """
        if isinstance(self.asset.content, Streamed):
            self._write_stream(self.asset.content)
            return
        content = self._content
        if content is None:
            raise ValueError(f"{self.dest_uri} is a file to be copied")
        write(content, self.abs_dest_path)

    def copy_file(self, dirty: bool = False) -> None:
        """Put the file in its place, if it is not there."""
        if self.find_same():
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
            self._write_stream(content)
            return
        super().copy_file(dirty)

    def _write_stream(self, content: Streamed) -> None:
        target = Path(self.abs_dest_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(content.texts())


class FormFiles:
    """The other forms of pages in a build without other plugins, of which MkDocs need not know.

    Each is made when it is asked for, as ten thousand pages have thirty thousand; what lasts is what was done.
    """

    def __init__(
        self, files: Files, forms: Sequence[SiteAsset], written: Container[str], config: MkDocsConfig, reuse: Reuse
    ) -> None:
        """Make room for them, and find those that the present site has; all at once, as each has to be made for it.

        Args:
            files: All files of the build.
            forms: The other forms of all pages.
            written: The addresses of the pages that are written.
            config: The configuration of MkDocs.
            reuse: The present site as a source of files.
        """
        self._forms = forms
        self._config = config
        self._reuse = reuse
        self._places = array("L")
        self.urls: list[str] = []
        """Their addresses."""
        self.issues: list[Issue] = []
        """What is wrong with their addresses."""
        self._is_done = bytearray()
        for place, form in enumerate(forms):
            if form.page in written:
                self._places.append(place)
                self.urls.append(form.url)
                if (issue := _make_room(files, form.url, config)) is not None:
                    self.issues.append(issue)
                self._is_done.append(reuse.is_same(form.url, _digest(form.content)))
        self._is_noted = bytearray(len(self))

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[AssetFile]:
        """The files for which something is left to be done."""
        return (self[number] for number in range(len(self)) if not self._is_done[number])

    def __getitem__(self, number: int) -> AssetFile:
        """One of them, as a file that knows nothing yet of what was done."""
        return AssetFile(self._forms[self._places[number]], self._config, self._reuse)

    def assets(self) -> Iterator[SiteAsset]:
        """All of them as the renderer knows them."""
        return (self._forms[place] for place in self._places)

    def not_noted(self) -> Iterator[SiteAsset]:
        """Those that the present site has not, and whose links were not noted when they were written."""
        marks = zip(self._places, self._is_done, self._is_noted, strict=True)
        return (self._forms[place] for place, is_done, is_noted in marks if not (is_done or is_noted))

    def left(self) -> array[int]:
        """The numbers of those that the present site has not."""
        return array("L", (number for number, is_done in enumerate(self._is_done) if not is_done))

    def note(self, number: int) -> None:
        """Take note that one is written, and that its links were noted."""
        self._is_done[number] = self._is_noted[number] = True


def _open_file(asset: SiteAsset, config: MkDocsConfig) -> File:
    """A file beside the pages as other plugins know files, with all that they may do to it."""
    name, included = _name(asset.url), InclusionLevel.INCLUDED
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
