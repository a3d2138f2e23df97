"""Configuration files as others write them: read with places, and refused with a clear message where they are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.checks.configuration_file import MAX_BYTES, load_configuration
from atlas.exceptions import ConfigurationError


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "config.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_every_outer_key_has_its_place(tmp_path: Path) -> None:
    text = '{\n  "a": 1, "b": {"a": "}", "c": [{"d": 2}]},\n\n\t"e\\"f": "x: \\"y\\"", "g"\n  : ["h", "i"]\n}\n'
    found = load_configuration(written(tmp_path, text))
    assert found.data == {"a": 1, "b": {"a": "}", "c": [{"d": 2}]}, 'e"f': 'x: "y"', "g": ["h", "i"]}
    assert found.places == {"a": (2, 3), "b": (2, 11), 'e"f': (4, 2), "g": (4, 22)}
    assert found.path.endswith("/config.json")


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    assert load_configuration(written(tmp_path, b'\xef\xbb\xbf{"a": 1}')).data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "config.json:1:1: no JSON: expecting value"),
        ('{\n "a": 1,\n}', "config.json:[23]:[0-9]+: no JSON: "),
        ("{'a': 1}", "no JSON: expecting property name"),
        ('{"a": 1} x', "config.json:1:10: no JSON: extra data"),
        ("[1]", "holds a JSON list, not an object with keys"),
        ("null", "holds a JSON null"),
        ('"x"', "holds a JSON text"),
        ("true", "holds a JSON truth value"),
        ("3", "holds a JSON number"),
        ('{"a": 1, "b": 2, "a": 1}', 'the key "a" stands twice'),
        ('{"x": {"b": 2, "b": 1}}', 'the key "b" stands twice'),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ('{"a": -Infinity}', "-Infinity is no number of JSON"),
        ('{"a": 1e999}', "the number 1e999 is too large"),
        (f'{{"a": {"1" * 5000}}}', "a number of 5,000 digits; at most 100 are read"),
        ("[" * 100_000, "is nested too deep"),
        (b'{"a": "\xff"}', "is no text in UTF-8"),
        (b" " * (MAX_BYTES + 1), "has more than 1,000,000 bytes"),
    ],
)
def test_what_is_no_configuration_is_told(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_configuration(written(tmp_path, text))
