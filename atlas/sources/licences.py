"""What a project says of its licence, its copyright and its repository, read from its metadata and licence files.

A manifest states these, and they are never guessed: what cannot be told from the project's own words stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlsplit

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.metadata import RawMetadata, parse_email

LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING)([.-][\w.-]+)?", re.IGNORECASE)
"""How files with a licence's text are named."""
DIST_INFO = re.compile(r"[^/]+\.dist-info/")
COPYRIGHT = re.compile(r"\W{0,6}copyright\b:?\s*(?:\(c\)|©)?:?\s*(\S.*)", re.IGNORECASE)
NOT_A_HOLDER = re.compile(
    r"[\[{<]|^(notices?|holders?|owners?|licen[cs]es?|laws?|and|or|statements?|in|of|to)\b", re.IGNORECASE
)
RESERVED = re.compile(r"[.,;]?\s*all rights reserved\.?\s*$", re.IGNORECASE)
HOSTS = frozenset(("github.com", "gitlab.com", "codeberg.org", "bitbucket.org"))
"""Hosts on which the first two parts of a path name a repository."""

OF_CLASSIFIER: Mapping[str, str] = MappingProxyType(
    {
        "License :: OSI Approved :: Apache Software License": "Apache-2.0",
        "License :: OSI Approved :: ISC License (ISCL)": "ISC",
        "License :: OSI Approved :: MIT License": "MIT",
        "License :: OSI Approved :: MIT No Attribution License (MIT-0)": "MIT-0",
        "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
        "License :: OSI Approved :: The Unlicense (Unlicense)": "Unlicense",
    }
)
"""The classifiers that mean one licence; the one for BSD means any of several, and some leave a version open."""

PHRASES: tuple[tuple[str, str], ...] = (
    ("permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"),
    ("apache license version 2.0, january 2004", "Apache-2.0"),
    ("mozilla public license version 2.0", "MPL-2.0"),
    ("permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"),
    ("permission to use, copy, modify, and distribute this software for any purpose", "ISC"),
)
"""What a licence's text says that no other's does."""
BSD = "redistribution and use in source and binary forms"
ENDORSEMENT = re.compile(r"neither the names? of|may not be used to endorse or promote")


@dataclass(frozen=True, slots=True)
class About:
    """What a project says of itself; what it does not say is empty."""

    title: str
    """Its name."""
    licence: str
    """The licence as an SPDX expression."""
    licence_text: str
    """The licence's text."""
    copyright: str
    """Who holds the copyright, as the licence's text states it."""
    repository: str
    """The https address of its repository."""


def metadata_name(names: Iterable[str]) -> str | None:
    """The file of an archive that holds the package's metadata."""
    found = [name for name in names if name == "PKG-INFO" or re.fullmatch(rf"{DIST_INFO.pattern}METADATA", name)]
    return min(found, default=None)


def licence_names(names: Collection[str], metadata: bytes | None) -> list[str]:
    """The files of an archive or a revision with the licence's text: those that the metadata names, else by name."""
    stated = parse_email(metadata)[0].get("license_files", []) if metadata is not None else []
    folders = {"", *(match[0] for name in names if (match := DIST_INFO.match(name)))}
    places = {f"{folder}{inner}{name}" for folder in folders for inner in ("", "licenses/") for name in stated}
    if found := sorted(places & set(names)):
        return found
    tops = {f"{folder}{inner}" for folder in folders for inner in ("", *(("licenses/",) if folder else ()))}
    return sorted(
        name
        for name in names
        if LICENCE_FILE.fullmatch(name.rpartition("/")[2]) and name[: name.rfind("/") + 1] in tops
    )


def about_package(metadata: bytes, texts: Iterable[str]) -> About:
    """What a package's metadata and licence files say."""
    raw = parse_email(metadata)[0]
    written = list(texts)
    licence = _stated(raw) or _recognized(written)
    return About(raw.get("name", ""), licence, _joined(written), copyright_in(written), _repository(raw))


def about_revision(repository: str, texts: Iterable[str]) -> About:
    """What the licence files of a repository say."""
    written = list(texts)
    title = repository.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return About(title, _recognized(written), _joined(written), copyright_in(written), repository)


def copyright_in(texts: Iterable[str]) -> str:
    """The holders that the lines `Copyright (c) …` name, each once."""
    found: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            match = COPYRIGHT.fullmatch(line.strip())
            if match and not NOT_A_HOLDER.search(holder := RESERVED.sub("", match[1]).strip(" .,;")) and holder:
                found[holder] = None
    return "; ".join(found)


def recognized(text: str) -> str:
    """The SPDX id of a licence's text, or an empty text where it is none of the few that are known by a phrase."""
    words = " ".join(re.sub(r"[^\w.,/-]+", " ", text.lower()).split())
    for phrase, licence in PHRASES:
        if phrase in words:
            return licence
    if BSD in words and "all advertising materials" not in words:
        return "BSD-3-Clause" if ENDORSEMENT.search(words) else "BSD-2-Clause"
    return ""


def canonical(expression: str) -> str:
    """An SPDX expression in its usual spelling, or an empty text where it is none."""
    try:
        return str(canonicalize_license_expression(expression))
    except InvalidLicenseExpression:
        return ""


def _recognized(texts: list[str]) -> str:
    """The licence, where all the texts are of one."""
    found = {recognized(text) for text in texts}
    return found.pop() if len(found) == 1 else ""


def _joined(texts: list[str]) -> str:
    return "\n\n".join(dict.fromkeys(text.strip("\n") for text in texts)) + "\n" if texts else ""


def _stated(raw: RawMetadata) -> str:
    """The licence by the metadata: an SPDX expression, or classifiers that mean one, or a licence field that is one."""
    if expression := canonical(raw.get("license_expression", "")):
        return expression
    classifiers = [one for one in raw.get("classifiers", []) if one.count("::") > 1 and one.startswith("License ::")]
    if len(classifiers) == 1 and classifiers[0] in OF_CLASSIFIER:
        return OF_CLASSIFIER[classifiers[0]]
    return canonical(raw.get("license", "")) if not classifiers else ""


def _repository(raw: RawMetadata) -> str:
    """The repository that the metadata's addresses name; one that is called source comes before a home page."""
    addresses = [*raw.get("project_urls", {}).items(), ("home", raw.get("home_page", ""))]
    ranked = sorted(addresses, key=lambda each: not re.search(r"source|repo|code|git", each[0], re.IGNORECASE))
    for _, address in ranked:
        parts = urlsplit(address)
        path = [part for part in parts.path.split("/") if part]
        if parts.hostname in HOSTS and len(path) > 1:
            return f"https://{parts.hostname}/{path[0]}/{path[1].removesuffix('.git')}"
    return ""
