"""The files beside the pages of the real content."""

from __future__ import annotations

import posixpath
from pathlib import Path

from atlas.render.site import SiteAsset


def text_of(asset: SiteAsset) -> str:
    if isinstance(asset.content, Path):
        return asset.content.read_bytes().decode()
    return asset.content.decode() if isinstance(asset.content, bytes) else asset.content()


def joined(base: str, link: str) -> str:
    """The address that a link in a file leads to."""
    path = link.partition("#")[0]
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
    return ("" if reached == "." else reached) + ("/" if path.endswith("/") and reached != "." else "")
