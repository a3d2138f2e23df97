"""`atlas schema`: what is printed and written for editors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main

KINDS = ("component", "model", "library", "source")


def schema(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["schema", *arguments], prog_name="atlas")


def undescribed(node: Any, path: str = "") -> Iterator[str]:
    """Every key of a schema, at any depth, that says nothing about itself."""
    if isinstance(node, list):
        for item in node:
            yield from undescribed(item, path)
    if isinstance(node, dict):
        for name, field in node.get("properties", {}).items():
            if not field.get("description"):
                yield f"{path}.{name}"
        for key, value in node.items():
            yield from undescribed(value, f"{path}.{key}" if key != "properties" else path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_described(kind: str) -> None:
    found = json.loads(schema(kind).stdout)
    assert list(undescribed(found)) == []
    assert list(undescribed({"properties": {"a": {"type": "string"}}})) == [".a"]
    assert found["additionalProperties"] is False
    assert found["description"]


def test_files_are_written_and_editors_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = schema("--out", "schemas")
    assert (result.exit_code, result.stdout) == (0, "4 schemas written into schemas\n")
    every = json.loads(schema().stdout)
    for kind in KINDS:
        file = tmp_path / "schemas" / f"{kind}.schema.json"
        assert json.loads(file.read_text(encoding="utf-8")) == every[kind]
    told = result.stderr.splitlines()[1:]
    assert told[0] == ("  content/**/*.yml:  # yaml-language-server: $schema=../../../schemas/component.schema.json")
    for line, example in zip(told[1:], ["content/a/model.yml", "content/a/library.yml", "sources/a.yml"], strict=True):
        reference = line.partition("$schema=")[2]
        (tmp_path / example).parent.mkdir(parents=True, exist_ok=True)
        assert ((tmp_path / example).parent / reference).is_file()
    assert json.loads(schema("model", "--out", "other").stdout[:0] or "null") is None
    assert [one.name for one in (tmp_path / "other").iterdir()] == ["model.schema.json"]


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = schema("--out", str(tmp_path / "file"))
    assert result.exit_code == 2
    assert "is a file" in result.stderr
