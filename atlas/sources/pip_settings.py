"""Where this user's pip looks for packages: the index, further indexes, folders of files, certificates, proxy.

The library that finds archives knows nothing of pip's settings, and people behind a mirror or a firewall have theirs
only there, so pip itself is asked.
"""

from __future__ import annotations

import ast
import logging
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

SECTIONS = ("global", "install", "download", ":env:")
"""The sections that count when something is downloaded, a later one before an earlier one."""


@dataclass(frozen=True, slots=True)
class PipSettings:
    """What pip is set to, as far as it matters for finding and downloading one archive."""

    index_url: str | None = None
    """The index, or None for the default one."""
    extra_index_urls: tuple[str, ...] = ()
    """Further indexes."""
    find_links: tuple[str, ...] = ()
    """Folders, pages and files with archives."""
    trusted_hosts: tuple[str, ...] = ()
    """Hosts, with or without a port, that are used without a valid certificate."""
    no_index: bool = False
    """Whether no index at all is used."""
    cert: str | None = None
    """A file or folder of certificate authorities."""
    client_cert: str | None = None
    """A file with a client certificate and its key."""
    proxy: str | None = None
    """A proxy, where it is not named by the environment."""
    timeout: float = 15.0
    """Seconds without a byte after which a connection is given up."""


def read_pip_settings() -> PipSettings:
    """The settings of the pip that belongs to this Python, or those of the environment where there is no pip."""
    listed = _pip_config_list()
    return settings_from(_from_environment(os.environ) if listed is None else parse_config_list(listed))


def parse_config_list(text: str) -> dict[str, str]:
    """The options in what `pip config list` prints, such as `global.index-url='…'`, by name without the section."""
    ordered: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        section, dot, option = key.partition(".")
        if not (equals and dot and section in ordered):
            continue
        try:
            read = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            log.debug("not understood in pip's configuration: %s", key)
            continue
        if isinstance(read, str) and read.strip():
            ordered[section][option] = read.strip()
    return {option: value for section in SECTIONS for option, value in ordered[section].items()}


def settings_from(options: Mapping[str, str]) -> PipSettings:
    """The settings that options of pip mean; lists are separated by white space, as pip does it."""
    return PipSettings(
        index_url=options.get("index-url"),
        extra_index_urls=tuple(options.get("extra-index-url", "").split()),
        find_links=tuple(_home(place) for place in options.get("find-links", "").split()),
        trusted_hosts=tuple(options.get("trusted-host", "").split()),
        no_index=options.get("no-index", "").lower() in ("y", "yes", "t", "true", "on", "1"),
        cert=_first(options.get("cert"), os.environ.get("REQUESTS_CA_BUNDLE"), os.environ.get("CURL_CA_BUNDLE")),
        client_cert=_first(options.get("client-cert")),
        proxy=options.get("proxy"),
        timeout=_seconds(options.get("timeout") or options.get("default-timeout")),
    )


def _pip_config_list() -> str | None:
    """What pip prints, or None where this Python has no pip that works."""
    # -P keeps the current directory off the path, so that a file named pip.py in it is not run.
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "config", "list"]
    try:
        done = subprocess.run(  # noqa: S603  (a fixed command of this very Python)
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.debug("pip could not be asked for its settings: %s", error)
        return None
    if done.returncode:
        log.debug("pip could not be asked for its settings: %s", done.stderr.strip())
        return None
    return done.stdout


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix("PIP_").lower().replace("_", "-"): value.strip()
        for name, value in environment.items()
        if name.startswith("PIP_") and value.strip()
    }


def _home(place: str) -> str:
    return str(Path(place).expanduser()) if place.startswith("~") else place


def _first(*paths: str | None) -> str | None:
    return next((_home(path) for path in paths if path), None)


def _seconds(text: str | None) -> float:
    try:
        return max(float(text or 15), 1.0)
    except ValueError:
        return 15.0


def locations(settings: PipSettings, default_index: str) -> Iterable[tuple[str, bool]]:
    """Every place to look in as (address, whether it is an index): the near ones first, as they cost nothing."""
    yield from ((place, False) for place in settings.find_links)
    if not settings.no_index:
        yield settings.index_url or default_index, True
        yield from ((url, True) for url in settings.extra_index_urls)
