from __future__ import annotations

import gzip
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from bench.measure import blocking
from bench.server import serving


@pytest.mark.parametrize(
    ("tasks", "after", "expected"),
    [
        ([], 0, 0),
        ([(0, 50)], 0, 0),
        ([(0, 80), (100, 200)], 0, 30 + 150),
        ([(0, 80), (100, 200)], 90, 150),
        ([(0, 80), (100, 200)], 220, 30),  # what is left of the second task is 80 ms
        ([(0, 80), (100, 200)], 400, 0),
    ],
)
def test_a_task_blocks_by_what_it_takes_over_fifty_milliseconds(
    tasks: list[tuple[float, float]], after: float, expected: float
) -> None:
    assert blocking(tasks, after) == expected


def test_a_site_is_served_compressed_and_what_is_sent_is_counted(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "a").mkdir(parents=True)
    (site / "a" / "index.html").write_text("<p>" + "x" * 5000)
    (site / "a.js").write_text("let a;" * 1000)
    (site / "font.woff2").write_bytes(b"font" * 500)
    (tmp_path / "secret.html").write_text("secret")
    with serving(site) as (address, traffic):
        with urlopen(Request(f"{address}a/", headers={"Accept-Encoding": "gzip"})) as answer:  # noqa: S310 - of this test
            body = answer.read()
            assert answer.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(body) == (site / "a" / "index.html").read_bytes()
        assert len(body) < traffic.bytes < len(body) + 300
        assert traffic.script_bytes == 0
        traffic.reset()
        with urlopen(Request(f"{address}font.woff2", headers={"Accept-Encoding": "gzip"})) as answer:  # noqa: S310 - of this test
            assert answer.headers["Content-Encoding"] is None
            assert answer.read() == b"font" * 500
        with urlopen(f"{address}a.js") as answer:  # noqa: S310 - of this test
            assert answer.read() == (site / "a.js").read_bytes()
        assert traffic.requests == 2
        assert 6000 < traffic.script_bytes < 6300
        for missing in ("../secret.html", "%2e%2e/secret.html", "b.html"):
            with pytest.raises(HTTPError) as error:
                urlopen(address + missing)  # noqa: S310 - of this test
            assert error.value.code == 404
            error.value.close()
        assert len(traffic.missing) == 3
