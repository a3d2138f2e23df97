"""How long the checks and the build of a project take, by its number of entries: twice the entries, twice the time.

Run from the project's folder: `python bench/site.py 300 1000`. It fails where the time for each entry grows with them.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
SEED = ROOT / "content" / "transformer"
COMPONENT = SEED / "encoder" / "ffn-layer-norm.yml"
GROWTH = 1.5
"""By how much the time for each entry may grow from the smallest project to the largest."""


def main() -> int:
    """Print the figures; 1 where the bound is broken."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("entries", nargs="*", type=int, default=[300, 1000], help="how many entries a project has")
    options.add_argument("--models", type=int, help="over how many models entries are spread  [default: one]")
    options.add_argument("--keep", type=Path, help="write the projects into this folder and leave them there")
    chosen = options.parse_args()
    each: list[float] = []
    for count in chosen.entries:
        with tempfile.TemporaryDirectory() as folder:
            project = write_project((chosen.keep or Path(folder)) / str(count), count, min(chosen.models or 1, count))
            checked = seconds("atlas", "check", cwd=project)
            built = seconds("mkdocs", "build", "--quiet", "--strict", cwd=project)
        each.append(built / count)
        figures = f"check {checked:7.1f} s, build {built:7.1f} s, {1000 * each[-1]:6.1f} ms for each entry"
        print(f"{count:6,} entries: {figures}")  # noqa: T201 - a benchmark prints its figures
    return int(each[-1] > GROWTH * each[0])


def write_project(root: Path, count: int, models: int) -> Path:
    """Models whose one stack has equal components, this many in all, of which each states everything itself."""
    shutil.copytree(ROOT / "sources", root / "sources")
    model = yaml.safe_load((SEED / "model.yml").read_text(encoding="utf-8"))
    for number in range(models):
        stack = root / "content" / f"model-{number}" / "encoder"
        stack.mkdir(parents=True)
        names = [f"layer-norm-{one}" for one in range(number, count, models)]
        for name in names:
            for suffix in (".yml", ".proofs.json"):  # a record does not name its entry, so that it holds for all
                shutil.copyfile(COMPONENT.with_suffix(suffix), stack / f"{name}{suffix}")
        model["stacks"]["encoder"]["components"] = names
        text = yaml.safe_dump(model, sort_keys=False, allow_unicode=True)
        (stack.parent / "model.yml").write_text(text, encoding="utf-8")
    config = {"site_name": "Benchmark", "docs_dir": "content", "theme": "openmodelatlas", "plugins": ["atlas"]}
    (root / "mkdocs.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return root


def seconds(command: str, *arguments: str, cwd: Path) -> float:
    """The time that a command of this Python's environment takes."""
    begin = time.perf_counter()
    subprocess.run([Path(sys.executable).with_name(command), *arguments], cwd=cwd, check=True)  # noqa: S603
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.exit(main())
