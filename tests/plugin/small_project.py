"""A project in a temporary folder, with a theme that shows what pages are given and a stand-in for the renderer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

RENDERER = Path(__file__).with_name("plugin_project.py")


MAIN = """<!doctype html><title>{{ page.title }}</title>
<nav>{% for item in nav recursive %}<li>{{ item.title }}
{%- if item.children %}<ul>{{ loop(item.children) }}</ul>{% endif %}{% endfor %}</nav>
<aside>{% for item in page.toc recursive %}<a href="{{ item.url }}">{{ item.title }}</a>{{ loop(item.children) }}
{%- endfor %}</aside>
<a class="edit" href="{{ page.edit_url }}">edit</a>
<main>{{ page.content }}</main>
<footer>{% if page.next_page %}next: {{ page.next_page.title }}{% endif %}</footer></body>
"""


class Project:
    """A project in a temporary folder, built the way `mkdocs build` does it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site"
        self.write("theme/main.html", MAIN)
        self.write("theme/404.html", "<main>not found</main>")
        self.write("content/index.md", '<h1 id="home">Welcome</h1>')
        self.entry("transformer/encoder/layer-norm", title="LayerNorm", nav=["Transformer", "Encoder"])
        self.configure()

    def configure(self, **options: Any) -> None:
        settings = {
            "site_name": "Atlas",
            "site_url": "https://example.org/atlas/",
            "repo_url": "https://example.org/repo",
            "edit_uri": "edit/main/content/",
            "docs_dir": "content",
            "theme": {"name": None, "custom_dir": "theme", "static_templates": ["404.html"]},
            "plugins": ["atlas"],
            "validation": {"links": {"anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"}},
        }
        self.write("mkdocs.yml", yaml.safe_dump(settings | options))

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def entry(self, name: str, **keys: Any) -> None:
        self.write(f"content/{name}.yml", yaml.safe_dump(keys))

    def build(self, *, strict: bool = False, dirty: bool = False) -> None:
        config = load_config(config_file=str(self.root / "mkdocs.yml"), strict=strict)
        config.plugins.on_startup(command="build", dirty=dirty)
        try:
            build(config, dirty=dirty)
        finally:
            config.plugins.on_shutdown()
        assert config.site_dir == str(self.site)

    def read(self, path: str) -> str:
        return (self.site / path).read_text(encoding="utf-8")

    def state(self) -> dict[str, tuple[bytes, int]]:
        """Every file of the site with its content and time, so that even an equal rewrite is seen."""
        files = (path for path in sorted(self.site.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.site)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    def leftovers(self) -> list[str]:
        return [path.name for path in self.root.iterdir() if path.name.startswith(".")]
