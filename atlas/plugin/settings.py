"""What mkdocs.yml says, read for the atlas: its own options, what rendering needs, files that no page would load.

MkDocs' configuration is a mapping of many kinds of values; here alone is it known which of them matter.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from atlas.issues import Issue
from atlas.plugin.options import AtlasConfig
from atlas.plugin.pages import root
from atlas.project import THEME
from atlas.render.site import Settings

_log = logging.getLogger("mkdocs.plugins.atlas")


def settings(config: MkDocsConfig, options: AtlasConfig, workspace: Path) -> Settings:
    """What rendering needs to know."""
    return Settings(
        root=root(config),
        content=Path(config.docs_dir),
        sources=Path(options.sources),
        workspace=workspace,
        site_name=config.site_name,
        templates=tuple(Path(folder) for folder in config.theme.dirs),
        site_url=config.site_url or "",
        data_license=options.data_license,
        missing_sources="link" if options.missing_sources == "link" else "fail",
        edit_address=cache(partial(edit_address, config)),
        say=_log.info,
        has_folders=config.use_directory_urls,
    )


def edit_address(config: MkDocsConfig, path: str) -> str | None:
    """Where a file below docs_dir is edited, as `repo_url` and `edit_uri` (or its template) say; None without them.

    MkDocs forms the address, so that it is the same as that of the whole page.
    """
    file = File.generated(config, "edited.md", content="")
    file.edit_uri = path
    return Page(None, file, config).edit_url


def foreign_assets(config: MkDocsConfig) -> Iterator[Issue]:
    """Style sheets and scripts of other sites that the configuration names, which browsers will not load.

    Pictures of other sites need no such word: in prose they are links from the start. Only pages of the atlas's own
    theme state the policy; what those of others load is theirs to say.
    """
    shown = Path(config.config_file_path).name if config.config_file_path else "mkdocs.yml"
    own = urlsplit(config.site_url or "")[:2]
    scripts = [getattr(script, "path", script) for script in config.extra_javascript]
    named = [("extra_css", config.extra_css), ("extra_javascript", scripts)] if config.theme.name == THEME else []
    for key, address in ((key, str(address)) for key, addresses in named for address in addresses):
        parts = urlsplit(address)
        if parts.scheme == "data" or (parts.netloc and parts[:2] not in (own, ("", own[1]))):
            message = f"{key}: {address} is not loaded, as the pages’ security policy admits files of their site alone"
            yield Issue(shown, 0, 0, "A911", message, "put a copy of it into docs_dir and name that")
