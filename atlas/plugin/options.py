"""The options below `atlas:` in mkdocs.yml, apart from what reads them: naming the plugin imports little."""

from __future__ import annotations

from mkdocs.config import config_options as option
from mkdocs.config.base import Config


class AtlasConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs leaves the class hook untyped
    """The options below `atlas:` in mkdocs.yml."""

    sources = option.Dir(default="sources")
    """The folder of source manifests, relative to mkdocs.yml."""
    missing_sources = option.Choice(("fail", "link"), default="fail")
    """Whether a source that is neither cached nor reachable stops the build or is shown as a link."""
    data_license = option.Type(str, default="")
    """The licence of what entries state, as an SPDX expression; the data page says it."""
    redirects = option.DictOfItems(option.Type(str), default={})
    """Addresses that pages had before, each with the address that it leads to, both below the site's root."""
