"""Git's name for the content of a file, computed without git.

It is what lets a file from any origin be proved to be, byte for byte, the file of a pinned commit.
"""

from __future__ import annotations

import hashlib


def blob_id(content: bytes) -> str:
    """The object id that git gives to a file with this content."""
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
