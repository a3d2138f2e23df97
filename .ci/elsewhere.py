"""Proves that the generator serves others: the wheel alone, in a fresh environment, builds another project's site.

That project has its own model, prose, settings and pinned source, and lies outside of this checkout; its upstream is a
package made here, so that nothing but the dependencies comes from the network.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]

UPSTREAM = """\
import numpy


def standardize(values, scale, shift, tiny=1e-5):
    centred = values - numpy.mean(values, axis=-1, keepdims=True)
    spread = numpy.sqrt(numpy.mean(centred * centred, axis=-1, keepdims=True) + tiny)
    return centred / spread * scale + shift
"""

MKDOCS = """\
site_name: Pebble & Co
docs_dir: content
theme: openmodelatlas
plugins: [atlas]
"""

ABOUT = """\
# Our models

Read about [Pebble](pebble/model.yml) and how it [standardizes](pebble/body/standardize.yml): $y = \\gamma n + \\beta$.
"""

MODEL = """\
title: Pebble
summary: A model of one stack, for this proof.
kind: encoder
paper: {title: On Pebbles, authors: [Ada Stone], year: 2024, url: https://example.org/pebbles}
complete: true
dimensions: {B: batch, c: channels}
inputs:
  'h_0': {axes: [B, c], meaning: the samples}
outputs:
  'body.z': the samples in the end
stacks:
  body:
    title: Body
    layers: 3
    takes: {'h': 'h_0'}
    carries: {'h': 'z'}
    components: [standardize]
variants:
  small: {title: small, sizes: {c: 20}}
"""

COMPONENT = r"""title: Standardize
operator: layer_norm
arguments: {epsilon: 1e-5}
summary: Give the channels of each sample mean zero and variance one, then scale and shift them.
formula: |
  \begin{aligned}
  m(x) &= \frac{1}{c}\sum_{i=1}^{c} x_i \\
  v(x) &= \frac{1}{c}\sum_{i=1}^{c} (x_i - m(x))^2 \\
  y &= \gamma \odot \frac{x - m(x)}{\sqrt{v(x) + \varepsilon}} + \beta \\
  \varepsilon &= 10^{-5}
  \end{aligned}
batch: [B]
symbols:
  'x': {axes: [B, c], binds: x}
  '\gamma': {axes: [c], binds: gamma, parameter: Scale, tensor: scale}
  '\beta': {axes: [c], binds: beta, parameter: Shift, tensor: shift}
  '\varepsilon': {axes: [], binds: epsilon}
  'y': {axes: [B, c], binds: result}
in: {'h': 'x'}
out: {'z': 'y'}
conventions: {axis: last, epsilon: inside the root, variance: biased}
sources:
  - id: standardize
    claim: The small number is added inside the root.
    source: pebbles
    path: pebbles/layers.py
    lines: 4-7
    symbol: standardize
"""

MANIFEST = """\
title: Pebbles
repository: https://example.org/stones/pebbles
revision: v1.0
license: Apache-2.0
license_text: LICENSE.txt
copyright: 2024 Ada Stone
artifact: {{pypi: pebbles==1.0, file: {file}, sha256: {sha256}}}
files:
  pebbles/layers.py: {{blob: {blob}}}
"""


def main() -> None:
    """Build the wheel, install it, build the other project's site, and see that a wrong claim stops it."""
    with TemporaryDirectory(prefix="elsewhere-") as name:
        folder = Path(name).resolve()
        wheel = build_wheel(folder / "wheel")
        sys.stdout.write(f"{wheel.name}: {wheel.stat().st_size / 1024:.0f} KB\n")
        bin_folder = install(wheel, folder / "venv")
        project = write_project(folder / "project")
        environment = {**os.environ, "PIP_FIND_LINKS": str(project / "archives"), "PIP_NO_INDEX": "1"}

        def run(*command: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(  # noqa: S603 - the commands just installed
                [str(bin_folder / command[0]), *command[1:]],
                cwd=project,
                env=environment,
                check=False,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )

        expect(run("python", "-c", "import atlas; print(atlas.__file__)"), 0, ["/venv/"])
        expect(run("atlas", "check"), 0, ["no issues"])
        expect(run("mkdocs", "build", "--strict"), 0, [])
        check_site(project / "site")
        entry = project / "content/pebble/body/standardize.yml"
        entry.write_text(entry.read_text(encoding="utf-8").replace("epsilon: 1e-5", "epsilon: '1e-5'"), "utf-8")
        expect(run("atlas", "check"), 1, ["content/pebble/body/standardize.yml:3:22"])
        before = (project / "site/index.html").read_bytes()
        expect(run("mkdocs", "build", "--strict"), 1, ["content/pebble/body/standardize.yml:3:22"])
        if (project / "site/index.html").read_bytes() != before:
            sys.exit("the failed build changed the site")
        environment, project = dict(os.environ), folder
        expect(run("atlas", "init", "demo", "--title", "Demo"), 0, ["files written into demo"])
        project = folder / "demo"
        expect(run("atlas", "check"), 0, ["no issues"])
        expect(run("mkdocs", "build", "--strict"), 0, [])
        if not (project / "site/miniature/layers/layer-norm/index.html").is_file():
            sys.exit("the atlas that `atlas init` made has no page of its LayerNorm")
    sys.stdout.write("Another project was built with the wheel alone.\n")


def build_wheel(folder: Path) -> Path:
    """The wheel, built from the files that git knows, so that nothing else can get into it."""
    source = folder / "source"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)  # noqa: S607 - git on our own folder
    for name in filter(None, listed.stdout.decode().split("\0")):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    pip(sys.executable, ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel and the dependencies at their pinned versions; the folder of its commands."""
    venv.create(folder, with_pip=True)
    bin_folder = folder / ("Scripts" if os.name == "nt" else "bin")
    python = str(bin_folder / "python")
    pip(python, ["install", "--only-binary=:all:", "--constraint", str(ROOT / "constraints.txt"), str(wheel)])
    return bin_folder


def pip(python: str, arguments: Sequence[str]) -> None:
    """Run pip and say nothing unless it fails."""
    command = [python, "-m", "pip", "--quiet", *arguments]
    done = subprocess.run(command, check=False, text=True, capture_output=True)  # noqa: S603 - arguments of this file
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def write_project(folder: Path) -> Path:
    """The other project, with the archive that its source is pinned to."""
    archive = folder / "archives" / "pebbles-1.0-py3-none-any.whl"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("pebbles/layers.py", UPSTREAM)
        made.writestr("pebbles-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pebbles\nVersion: 1.0\n")
    content = UPSTREAM.encode()
    pinned = {
        "file": archive.name,
        "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
        "blob": hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest(),
    }
    files: Mapping[str, str] = {
        "mkdocs.yml": MKDOCS,
        "content/about.md": ABOUT,
        "content/pebble/model.yml": MODEL,
        "content/pebble/body/standardize.yml": COMPONENT,
        "sources/pebbles.yml": MANIFEST.format(**pinned),
        "sources/LICENSE.txt": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def expect(done: subprocess.CompletedProcess[str], code: int, words: Sequence[str]) -> None:
    """Stop unless a command ended with this code and said these words."""
    missing = [word for word in words if word not in done.stdout]
    if done.returncode != code or missing:
        command = json.dumps(done.args)
        sys.exit(f"{command} ended with {done.returncode} (expected {code}), without {missing}:\n{done.stdout}")


def check_site(site: Path) -> None:
    """See that the site has the project's own pages, its own figures, and what the theme brings."""
    page = (site / "pebble/body/standardize/index.html").read_text(encoding="utf-8")
    # 20 scales and 20 shifts in each of 3 layers, the highlighted excerpt, the typeset formula.
    for part in ("Pebble &amp; Co", "120", "def</span>", 'class="katex'):
        if part not in page:
            sys.exit(f"the component's page lacks {part}")
    for name in (
        "index.html",
        "about/index.html",
        "pebble/index.html",
        "sources/pebbles/index.html",
        "404.html",
        "a-z/index.html",
        "search/index.json",
        "search/index.html",
    ):
        if not (site / name).is_file():
            sys.exit(f"the site lacks {name}")
    if (site / "pebble/body/standardize.yml").exists():
        sys.exit("the site holds the entries themselves")


if __name__ == "__main__":
    main()
