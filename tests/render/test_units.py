"""Sizes in memory: the largest unit of which there is at least one, with at most one digit after the point."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
import rjsmin

from atlas.node.environment import prepare
from atlas.render.units import binary

UNITS = Path(__file__).parents[2] / "templates" / "js" / "units.js"
DRIVER = """
import { readFileSync } from "node:fs";
import { binary } from "./units.mjs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((text) => binary(BigInt(text)))));
"""


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, ""),
        (1023, ""),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (131_072, "128 KiB"),
        (36_864, "36 KiB"),
        (1024**2 - 1, "1,024 KiB"),
        (1024**2, "1 MiB"),
        (4_718_592, "4.5 MiB"),
        (1024 + 51, "1 KiB"),
        (1024 + 52, "1.1 KiB"),  # 1.0508: half of a tenth and more goes up
        (3 * 1024**4, "3 TiB"),
        (2048 * 1024**5, "2,048 PiB"),
    ],
)
def test_bytes_in_the_largest_unit(count: int, words: str) -> None:
    assert binary(count) == words


def test_less_than_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 is no number of bytes"):
        binary(-1)


def test_the_browser_says_the_same(tmp_path: Path) -> None:
    script = UNITS.read_text(encoding="utf-8")
    (tmp_path / "units.mjs").write_text(rjsmin.jsmin(script), encoding="utf-8")  # as pages load it
    (tmp_path / "driver.mjs").write_text(DRIVER, encoding="utf-8")
    dice = random.Random(3)  # noqa: S311 - a seeded test
    counts = [dice.randrange(1 << dice.randrange(1, 70)) for _ in range(400)]
    counts += [1024**power + more for power in range(1, 6) for more in (-1, 0, 1)]
    command = [str(prepare().node), str(tmp_path / "driver.mjs")]
    given = json.dumps([str(count) for count in counts]).encode()
    done = subprocess.run(command, input=given, capture_output=True, check=True)  # noqa: S603 - our own script
    assert json.loads(done.stdout) == [binary(count) for count in counts]
