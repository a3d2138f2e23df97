"""The provider that brings pinned files out of a package archive, found and downloaded as pip would find it.

Nothing in the archive is run or unpacked, and not one byte of it is used before its SHA-256 is the pinned one.
"""

from __future__ import annotations

import hashlib
import logging
import re
import ssl
import tempfile
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from unearth import Link, PackageFinder
from unearth.auth import MultiDomainBasicAuth
from unearth.fetchers import Fetcher, PyPIClient
from unearth.preparer import HTTPErrors

from atlas.entries.manifest import Artifact
from atlas.exceptions import ArchiveError, HashMismatchError, MissingFileError, OfflineError, SourceError
from atlas.sources.archive import DEFAULT_LIMITS, Limits, read_members
from atlas.sources.nearest import nearest
from atlas.sources.pip_settings import PipSettings, locations, read_pip_settings
from atlas.sources.progress import Progress, silent

log = logging.getLogger(__name__)

CHUNK = 64 * 1024
ATTEMPTS = 3
UNREACHABLE: tuple[type[Exception], ...] = (*HTTPErrors, OSError)
"""What a connection that fails or breaks off raises."""
ADVICE = (
    "Connect to the network, or name a mirror or a folder that has the archive (`pip config set global.find-links …`); "
    "`atlas fetch` fills the cache, and builds need no network afterwards."
)


def bring_from_package(
    artifact: Artifact,
    paths: Collection[str],
    *,
    progress: Progress = silent,
    settings: PipSettings | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, bytes | SourceError]:
    """The content of each path in the archive, or why there is none, from one download."""
    chosen = read_pip_settings() if settings is None else settings
    with tempfile.TemporaryFile() as file:
        _download_verified(artifact, chosen, file, progress, limits)
        return read_members(file, artifact.file, paths, artifact.strip, limits)


def _download_verified(
    artifact: Artifact, settings: PipSettings, file: BinaryIO, progress: Progress, limits: Limits
) -> None:
    """Fill `file` with the archive; the first place that offers its exact file name settles the matter."""
    # A finder that is given no place of its own knows the default index; its address stands nowhere else.
    default_index = PackageFinder().sources[0]["url"]
    places = list(locations(settings, default_index))
    if not places:
        raise OfflineError(f"{artifact.file} cannot be brought: pip is set to use no index. {ADVICE}", FIELD)
    failures: list[str] = []
    offered: set[str] = set()
    with _session(settings, [url for url, is_index in places if is_index]) as session:
        for url, is_index in places:
            with _warnings_kept() as warnings:
                try:
                    links = _links(session, artifact, url, is_index=is_index)
                    link = next((link for link in links if link.filename == artifact.file), None)
                    offered.update(link.filename for link in links)
                    if link is not None:
                        _download(session, link, artifact, file, progress, limits)
                        return
                except UNREACHABLE as error:
                    failures.append(f"{Link(url).redacted}: {str(error) or type(error).__name__}")
                except ValueError as error:
                    log.warning("pip is set to look in %s, which is skipped: %s", Link(url).redacted, error)
            failures += [warning for warning in warnings if "Client Error(404)" not in warning]
    raise _not_found(artifact, [Link(url).redacted for url, _ in places], failures, offered, settings.no_index)


FIELD = ("artifact", "file")


def _not_found(
    artifact: Artifact, places: list[str], failures: list[str], offered: set[str], no_index: bool
) -> SourceError:
    if failures:
        # A password in an address of pip's configuration stays there.
        reasons = re.sub(r"//[^/@\s]*@", "//***@", "; ".join(failures))
        return OfflineError(f"{artifact.file} could not be brought ({reasons}). {ADVICE}", FIELD)
    looked = ", ".join(places)
    if no_index and not offered:
        # Folders of one's own are no proof that there is no such package: this is like having no network.
        return OfflineError(
            f"{artifact.file} cannot be brought: pip is set to use no index, and it is not in {looked}. {ADVICE}", FIELD
        )
    if not offered:
        return MissingFileError(f"{artifact.pypi} was not found; looked in {looked}", ("artifact", "pypi"))
    hint = nearest(artifact.file, offered)
    return MissingFileError(
        f"{artifact.pypi} has no file {artifact.file}, only {', '.join(sorted(offered))}"
        + (f"; the nearest is {hint}" if hint and len(offered) > 1 else ""),
        FIELD,
    )


def _links(session: PyPIClient, artifact: Artifact, url: str, *, is_index: bool) -> list[Link]:
    """What one place offers for the pinned version, for whichever Python and machine it was made."""
    finder = PackageFinder(
        cast(Fetcher, session),  # it is one; the library's types only disagree on optional arguments
        index_urls=[url] if is_index else [],
        find_links=[] if is_index else [url],
        ignore_compatibility=True,
    )
    found = finder.find_matches(artifact.pypi, allow_yanked=True, allow_prereleases=True)
    return [package.link for package in found]


def _download(
    session: PyPIClient, link: Link, artifact: Artifact, file: BinaryIO, progress: Progress, limits: Limits
) -> None:
    """Download to `file` and check its hash; a transfer that breaks off is tried again, a wrong hash is not."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            found = _stream(session, link, artifact.file, file, progress, limits)
        except UNREACHABLE as error:
            if attempt == ATTEMPTS:
                raise
            log.info("%s broke off (%s); it is tried again", artifact.file, error)
            time.sleep(0.3 * attempt)
        else:
            break
    if found != artifact.sha256:
        raise HashMismatchError(
            f"the SHA-256 of {artifact.file} from {link.redacted}", artifact.sha256, found, ("artifact", "sha256")
        )


def _stream(session: PyPIClient, link: Link, name: str, file: BinaryIO, progress: Progress, limits: Limits) -> str:
    """Write the bytes of a link to `file` and return their SHA-256."""
    file.seek(0)
    file.truncate()
    digest, done = hashlib.sha256(), 0
    # An archive is wanted as it lies on the server: a transfer encoding undone on the way would change its hash.
    with session.get_stream(link.url_without_fragment, headers={"Accept-Encoding": "identity"}) as response:
        response.raise_for_status()
        stated = response.headers.get("Content-Length", "")
        total = int(stated) if stated.isdecimal() else None
        too_large = ArchiveError(f"{name} has more bytes than the limit of {limits.archive:,}", FIELD)
        if (total or 0) > limits.archive:
            raise too_large
        for chunk in response.iter_raw(CHUNK):
            done += len(chunk)
            if done > limits.archive:
                raise too_large
            digest.update(chunk)
            file.write(chunk)
            progress(name, done, total)
    return digest.hexdigest()


@contextmanager
def _session(settings: PipSettings, index_urls: list[str]) -> Iterator[PyPIClient]:
    with PyPIClient(
        trusted_hosts=settings.trusted_hosts,
        verify=_certificates(settings),
        timeout=settings.timeout,
        proxy=settings.proxy,
        follow_redirects=True,
    ) as session:
        # A build must never stop to ask for a password.
        session.auth = MultiDomainBasicAuth(prompting=False, index_urls=index_urls)
        yield session


def _certificates(settings: PipSettings) -> ssl.SSLContext | bool:
    if settings.cert is None and settings.client_cert is None:
        return True
    try:
        if settings.cert is None:
            context = ssl.create_default_context()
        elif Path(settings.cert).is_dir():
            context = ssl.create_default_context(capath=settings.cert)
        else:
            context = ssl.create_default_context(cafile=settings.cert)
        if settings.client_cert is not None:
            context.load_cert_chain(settings.client_cert)
    except OSError as error:
        named = " and ".join(path for path in (settings.cert, settings.client_cert) if path)
        raise SourceError(f"pip is set to use the certificates {named}, which cannot be read: {error}") from error
    return context


@contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """Keep what the library warns of on this thread instead of printing it: it does so for folders that are fine."""
    thread = threading.get_ident()
    kept: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.thread != thread:
            return True
        if record.levelno >= logging.WARNING:
            kept.append(record.getMessage())
        return False

    loggers = [logging.getLogger(f"unearth.{module}") for module in ("collector", "evaluator", "auth", "preparer")]
    for logger in loggers:
        logger.addFilter(keep)
    try:
        yield kept
    finally:
        for logger in loggers:
            logger.removeFilter(keep)
