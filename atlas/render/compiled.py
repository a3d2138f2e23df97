"""Templates as Jinja2 has compiled them, kept: to compile all that one page takes is as much work as many pages."""

from __future__ import annotations

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket, bc_magic

from atlas.kept import Kept, code_digest, key_of, version_of


class Compiled(BytecodeCache):
    """Compiled templates of one kind of environment: what they are compiled to depends on its settings."""

    def __init__(self, kept: Kept, kind: str) -> None:
        self._kept = kept
        # Python's own version is in what Jinja2 calls its magic number.
        self._for = (kind, version_of("jinja2"), code_digest("render/printing", "render/compiled"), bc_magic)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template as it is kept, if it is."""
        key = self._key(bucket)
        if key in (found := self._kept.get([key])):
            # From the user's own cache, and whole by its digest.
            bucket.bytecode_from_string(found[key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template."""
        self._kept.put({self._key(bucket): bucket.bytecode_to_string()})

    def _key(self, bucket: Bucket) -> bytes:
        # The one is made of the template's name and file, the other of its text.
        return key_of("template", *self._for, bucket.key, bucket.checksum)
