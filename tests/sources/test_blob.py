from __future__ import annotations

import subprocess

import pytest

from atlas.sources.blob import blob_id


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\0\xff" * 1000, "γ\r\n".encode()])
def test_is_the_id_that_git_computes(content: bytes) -> None:
    command = ["git", "hash-object", "--stdin", "--no-filters"]
    done = subprocess.run(command, input=content, capture_output=True, check=True)  # noqa: S603  (a fixed command)
    assert blob_id(content) == done.stdout.decode().strip()


def test_the_empty_file_has_the_id_that_everybody_knows() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
