"""The options below `atlas:` in mkdocs.yml, apart from what reads them: naming the plugin imports little."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config import config_options as option
from mkdocs.config.base import Config, ConfigErrors, ConfigWarnings, ValidationError


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

    def validate(self) -> tuple[ConfigErrors, ConfigWarnings]:
        """Refuse options that there are not; MkDocs leaves them out, with a warning that says no place."""
        failed, warnings = super().validate()
        known = [name for name, _ in self._schema]
        if {*self} <= {*known}:
            return failed, warnings
        from atlas.entries.settings import unknown_options

        told = {
            option.key: f"{option.file.name}:{option.key_place[0]}: there is no such option; {hint}"
            for option, hint in unknown_options(Path(self.config_file_path or "mkdocs.yml"), known)
        }
        errors = [
            (name, ValidationError(told.get(name, "there is no such option"))) for name in self if name not in known
        ]
        return [*failed, *errors], [one for one in warnings if one[0] in known]
