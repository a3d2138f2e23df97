"""The provider that brings pinned files out of a package archive, found and downloaded as pip would find it.

Nothing in the archive is run or unpacked, and not one byte of it is used before its SHA-256 is the pinned one.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import re
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version
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
T = TypeVar("T")

ATTEMPTS = 3
SLOWEST = 1024
"""How many bytes a second a server must send on average …"""
SLOW_AFTER = 60.0
"""… once it has sent for so many seconds; else a build could wait for one for days."""
UNREACHABLE: tuple[type[Exception], ...] = (*HTTPErrors, OSError)
"""What a connection that fails or breaks off raises."""
ADVICE = (
    "connect to the network, or name a mirror or a folder that has the archive (`pip config set global.find-links …`)"
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
    with tempfile.TemporaryFile() as file:
        bring_archive(
            artifact.pypi,
            file,
            name=artifact.file,
            sha256=artifact.sha256,
            progress=progress,
            settings=settings,
            limits=limits,
        )
        return read_members(file, artifact.file, paths, artifact.strip, limits)


@dataclass(frozen=True, slots=True)
class Archive:
    """A package archive that was brought."""

    name: str
    """Its file name."""
    sha256: str
    """The SHA-256 of its bytes, in hexadecimal."""
    offered: tuple[str, ...]
    """The file names of all archives of this version at the place that it came from, sorted."""


def bring_archive(
    pypi: str,
    file: BinaryIO,
    *,
    name: str | None = None,
    sha256: str | None = None,
    progress: Progress = silent,
    settings: PipSettings | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Archive:
    """Fill `file` with an archive of `package==version`; the first place that offers the wanted one settles the matter.

    Without a `name` it is the wheel for every machine, else the source distribution, else the first wheel. Without a
    `sha256` it must be what the index states, where the index states one.
    """

    def bring(session: PyPIClient, links: list[Link]) -> Archive | None:
        offered = {link.filename: link for link in reversed(links) if NAMED_AS_ARCHIVE.fullmatch(link.filename)}
        chosen = offered.get(name) if name is not None else offered.get(_best(offered))
        if chosen is None:
            return None
        stated = sha256 or next(iter((chosen.hash_option or {}).get("sha256", ())), None)
        found = _download(session, chosen, stated, file, progress, limits)
        return Archive(chosen.filename, found, tuple(sorted(offered)))

    return _search(pypi, name, read_pip_settings() if settings is None else settings, bring)


def newest_version(package: str, settings: PipSettings | None = None) -> str:
    """The highest version of a package that is no pre-release, at the first place that offers any."""

    def highest(_: PyPIClient, links: list[Link]) -> str | None:
        kept = [link.filename for link in links if not link.is_yanked]
        versions = {version for name in kept if (version := _version(name)) is not None}
        final = {version for version in versions if not version.is_prerelease} or versions
        return str(max(final)) if final else None

    return _search(package, None, read_pip_settings() if settings is None else settings, highest)


NAMED_AS_ARCHIVE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*\.(whl|zip|tar\.gz|tar\.bz2|tar\.xz)")


def _best(names: Collection[str]) -> str:
    """The archive to take of several: one that is the same on every machine, where there is one."""
    return min(names, key=lambda name: (not name.endswith("-none-any.whl"), name.endswith(".whl"), name), default="")


def _version(name: str) -> Version | None:
    try:
        return parse_wheel_filename(name)[1] if name.endswith(".whl") else parse_sdist_filename(name)[1]
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None


def _search(
    requirement: str,
    name: str | None,
    settings: PipSettings,
    visit: Callable[[PyPIClient, list[Link]], T | None],
) -> T:
    """What `visit` makes of the first place that has what is wanted."""
    # A finder that is given no place of its own knows the default index; its address stands nowhere else.
    default_index = PackageFinder().sources[0]["url"]
    places = list(locations(settings, default_index))
    if not places:
        raise OfflineError(f"{name or requirement} cannot be brought: pip is set to use no index", FIELD, ADVICE)
    failures: list[str] = []
    offered: set[str] = set()
    with open_session(settings, [url for url, is_index in places if is_index]) as session:
        for url, is_index in places:
            with _warnings_kept() as warnings:
                try:
                    links = _links(session, requirement, url, is_index=is_index)
                    offered.update(link.filename for link in links)
                    if (found := visit(session, links)) is not None:
                        return found
                except UNREACHABLE as error:
                    failures.append(f"{Link(url).redacted}: {str(error) or type(error).__name__}")
                except ValueError as error:
                    log.warning("pip is set to look in %s, which is skipped: %s", Link(url).redacted, error)
            failures += [warning for warning in warnings if "Client Error(404)" not in warning]
    raise _not_found(requirement, name, [Link(url).redacted for url, _ in places], failures, offered, settings.no_index)


FIELD = ("artifact", "file")


def _not_found(
    requirement: str, name: str | None, places: list[str], failures: list[str], offered: set[str], no_index: bool
) -> SourceError:
    wanted = name or requirement
    if failures:
        # A password in an address of pip's configuration stays there.
        reasons = re.sub(r"//[^/@\s]*@", "//***@", "; ".join(failures))
        return OfflineError(f"{wanted} could not be brought ({reasons})", FIELD, ADVICE)
    looked = ", ".join(places)
    if no_index and not offered:
        # Folders of one's own are no proof that there is no such package: this is like having no network.
        return OfflineError(
            f"{wanted} cannot be brought: pip is set to use no index, and it is not in {looked}", FIELD, ADVICE
        )
    if not offered:
        return MissingFileError(f"{requirement} was not found; looked in {looked}", ("artifact", "pypi"))
    hint = nearest(wanted, offered)
    return MissingFileError(
        f"{requirement} has no file {wanted}, only {', '.join(sorted(offered))}",
        FIELD,
        f"the nearest is {hint}" if hint and len(offered) > 1 else "",
    )


def _links(session: PyPIClient, requirement: str, url: str, *, is_index: bool) -> list[Link]:
    """What one place offers for the wanted version, for whichever Python and machine it was made."""
    finder = PackageFinder(
        cast(Fetcher, session),  # it is one; the library's types only disagree on optional arguments
        index_urls=[url] if is_index else [],
        find_links=[] if is_index else [url],
        ignore_compatibility=True,
    )
    found = finder.find_matches(requirement, allow_yanked=True, allow_prereleases=True)
    return [package.link for package in found]


def _download(
    session: PyPIClient, link: Link, sha256: str | None, file: BinaryIO, progress: Progress, limits: Limits
) -> str:
    """Download to `file` and check its hash; a transfer that breaks off is tried again, a wrong hash is not."""
    name = link.filename
    for attempt in range(1, ATTEMPTS + 1):
        try:
            found = _stream(session, link, name, file, progress, limits)
        except UNREACHABLE as error:
            if attempt == ATTEMPTS:
                raise
            log.info("%s broke off (%s); it is tried again", name, error)
            time.sleep(0.3 * attempt)
        else:
            break
    if sha256 not in (None, found):
        raise HashMismatchError(
            f"the SHA-256 of {name} from {link.redacted}", str(sha256), found, ("artifact", "sha256")
        )
    return found


def _stream(session: PyPIClient, link: Link, name: str, file: BinaryIO, progress: Progress, limits: Limits) -> str:
    """Write the bytes of a link to `file` and return their SHA-256."""
    file.seek(0)
    file.truncate()
    digest, done, begun = hashlib.sha256(), 0, time.monotonic()
    # An archive is wanted as it lies on the server: a transfer encoding undone on the way would change its hash.
    with session.get_stream(link.url_without_fragment, headers={"Accept-Encoding": "identity"}) as response:
        response.raise_for_status()
        stated = response.headers.get("Content-Length", "")
        total = int(stated) if stated.isdecimal() else None
        too_large = ArchiveError(f"{name} has more bytes than the limit of {limits.archive:,}", FIELD)
        if (total or 0) > limits.archive:
            raise too_large
        for chunk in response.iter_raw():  # as they come, so that a server that sends a byte now and then is noticed
            done += len(chunk)
            seconds = time.monotonic() - begun
            if seconds > SLOW_AFTER and done < SLOWEST * seconds:
                raise TimeoutError(f"the server sent {done:,} bytes in {seconds:.0f} seconds, which is too slow")
            if done > limits.archive:
                raise too_large
            digest.update(chunk)
            _keep(file, chunk, name)
            progress(name, done, total)
    return digest.hexdigest()


def _keep(file: BinaryIO, chunk: bytes, name: str) -> None:
    """Write bytes to a file of this machine, whose failure is none of the connection's and is not tried again."""
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:
        said = error.strerror or str(error)
        hint = "make room for temporary files, or set TMPDIR to a folder that has it"
        if error.errno == errno.EFBIG:
            hint = "raise the limit of a file's size (`ulimit -f unlimited`)"
        raise SourceError(f"{name} cannot be written to a temporary file ({said})", FIELD, hint) from error


@contextmanager
def open_session(settings: PipSettings, index_urls: list[str]) -> Iterator[PyPIClient]:
    """A client with pip's certificates, proxy and passwords, which never asks for one."""
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
