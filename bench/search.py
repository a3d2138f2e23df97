"""What search costs by number of pages: the time to make its index, its size, and what a first query downloads.

Run from the project's folder: `python -m bench.search 1000 10000 100000`. It fails where a query brings more than MOST.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atlas.operators.catalogue import CATALOGUE
from atlas.operators.names import ALSO_CALLED
from atlas.render.search_found import ALIAS, NAME, NUMBER, SUMMARY, SYMBOL, TEXT, grouped
from atlas.render.search_index import search_files
from atlas.render.site import SearchRecord

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = [ROOT / "templates" / path for path in ("js/search.js", "js/search-index.js", "css/search.css")]
QUERIES = (
    "RMSNorm",
    "q_proj",
    "GQA",
    "512",
    r"\gamma",
    "layer norm",
    "la",
    "model-77 layernorm",
    "attnetion",
    "softmax",
)
MOST = 100_000
"""The most bytes, compressed, that a first query may bring, the palette's own program included."""
LAYER = 10
"""How many components a synthetic model has."""


def main() -> int:
    """Print the figures; 1 where a query brings too much."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("pages", nargs="*", type=int, default=[1_000, 10_000], help="how many pages a site has")
    program = sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in PROGRAM)
    worst = 0
    for count in options.parse_args().pages:
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            files = list(search_files(grouped(records(count))))
            took = time.perf_counter() - begin
            for file in files:
                assert isinstance(file.content, bytes)  # noqa: S101 - search files are made in memory
                path = Path(folder, file.url)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
            size = sum(len(file.content) for file in files if isinstance(file.content, bytes))
            say(f"{count:8,} pages: index made in {took:.1f} s; {len(files):,} files, {size / 1e6:.1f} MB on disk")
            for answer in asked(Path(folder)):
                brought = program + sum(size for _, size in answer["files"])
                worst = max(worst, brought)
                hits = sum(group["count"] for group in answer["groups"])
                figures = f"{brought / 1000:6.1f} KB in {len(answer['files']) + len(PROGRAM)} files, {hits:,} results"
                say(f"    {answer['query']:20} {figures}")
    say(f"the palette's own program is {program / 1000:.1f} KB of each; at most {MOST / 1000:.0f} KB are allowed")
    return int(worst > MOST)


def records(count: int) -> Iterator[SearchRecord]:
    """Models of components that resemble real ones: their words repeat from model to model, their names do not."""
    rng = random.Random(count)  # noqa: S311 - the benchmark's words hide nothing
    operators = list(CATALOGUE.values())
    for number in range(count):
        model = f"model-{number // LAYER}"
        if number % LAYER == 0:
            yield SearchRecord(
                "model", f"{model}/", model, "decoder · 2024", "A model.", ((NUMBER, str(number * 977)),)
            )
            continue
        operator = rng.choice(operators)
        width = rng.choice((512, 768, 1024, 2048, 4096, 5120)) + rng.choice((0, 0, 64, number % 997))
        texts = (
            *((ALIAS, name) for name in ALSO_CALLED.get(operator.name, ())),
            (NAME, operator.name),
            (NAME, f"model.layers.{{n}}.self_attn.{rng.choice('qkvo')}_proj.weight"),
            (NAME, f"self.{operator.name}_{number % 89}"),
            *((SYMBOL, symbol) for symbol in (r"\gamma", r"\beta_2", "x", "W_{QKV}", rf"\hat{{h}}_{{{number % 31}}}")),
            *((NUMBER, f"{one:,}") for one in (width, width * width, width * 977)),
            *((SUMMARY, f"{name} {value}") for name, value in operator.conventions.items()),
            (TEXT, operator.description),
        )
        url = f"{model}/decoder/{operator.name.replace('_', '-')}-{number}/"
        yield SearchRecord("component", url, operator.title, f"{model} · Decoder", operator.summary, texts)


def asked(site: Path) -> list[dict[str, Any]]:
    """What the browser's side of search answers."""
    command = ["node", str(ROOT / "tests" / "render" / "search_query.mjs")]
    given = json.dumps({"site": str(site), "queries": QUERIES})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)  # noqa: S603 - our own script
    answers: list[dict[str, Any]] = json.loads(done.stdout)["answers"]
    return answers


def say(text: str) -> None:
    """Print a line."""
    print(text)  # noqa: T201 - a benchmark prints its figures


if __name__ == "__main__":
    sys.exit(main())
