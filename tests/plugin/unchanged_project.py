"""A small project of which it is known whether a build made its pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

from atlas.plugin.fingerprint import grounds

SETTINGS: dict[str, Any] = {
    "site_name": "Atlas",
    "site_url": "https://example.org/atlas/",
    "repo_url": "https://example.org/repo",
    "edit_uri": "edit/main/content/",
    "docs_dir": "content",
    "theme": {"name": None, "custom_dir": "theme", "static_templates": ["404.html"]},
    "exclude_docs": "drafts/",
    "extra": {"answers": [42, 0.5, None, {"a": True}]},
    "plugins": ["atlas"],
}


class Project:
    """A project in a temporary folder, built the way `mkdocs build` does it, and what its builds did."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site"
        self.built = 0
        """How many builds made pages."""
        self.while_building: Callable[[], object] = int
        """Happens within each of them."""
        self.write("theme/main.html", "<title>{{ page.title }}</title><main>{{ page.content }}</main>")
        self.write("theme/404.html", "<main>not found</main>")
        self.write("theme/css/own.css", "body {}")
        self.write("sources/note.txt", "[note]")
        self.write("content/index.md", "Home")
        self.write("content/drafts/plan.md", "Not shown")
        self.write("content/picture.svg", "<svg/>")
        self.write("content/layer.yml", yaml.safe_dump({"title": "Layer", "body": "<p>one</p>"}))
        self.configure()

    def configure(self, **options: Any) -> None:
        self.write("mkdocs.yml", yaml.safe_dump(SETTINGS | options))

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def config(self, **options: Any) -> Any:
        return load_config(config_file=str(self.root / "mkdocs.yml"), **options)

    def build(self, command: Any = "build", *, dirty: bool = False, **options: Any) -> bool:
        """Build; whether pages were made."""
        before, config = self.built, self.config(**options)
        given = {name: config[name] for name in ("docs_dir", "site_dir", "nav", "extra_templates")}
        templates = set(config.theme.static_templates)
        config.plugins.on_startup(command=command, dirty=dirty)
        try:
            build(config, dirty=dirty)
        finally:
            config.plugins.on_shutdown()
        assert {name: config[name] for name in given} == given
        assert config.theme.static_templates == templates
        return self.built > before

    def state(self) -> dict[str, tuple[bytes, int, int]]:
        """Every file of the site with its content, its time and what the system knows it by."""
        files = (path for path in sorted(self.site.rglob("*")) if path.is_file())
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in files}

    def grounds(self, **options: Any) -> bytes:
        return grounds(self.config(**options), str(self.root / "sources"), is_preview=False).whole
