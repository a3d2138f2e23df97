"""MkDocs tells of the folder that it works in, which nobody knows: one of the build's own, or an empty one.

What it says is set right here: the log names the folder of the site, and speaks of no cleaning, as the site that is
there stays until all of the next one is ready.
"""

from __future__ import annotations

import logging

_logger = logging.getLogger("mkdocs.commands.build")
_CLEANING = "Cleaning site directory"
_BUILDING = "Building documentation to directory: "


class FolderTold(logging.Filter):
    """Puts the site's folder where MkDocs names the one that it works in; without a site, none is told of."""

    def __init__(self, site: str | None) -> None:
        super().__init__()
        self._site = site
        _logger.addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is printed; the one that names the folder is changed."""
        said = record.getMessage()
        if said.startswith(_BUILDING) and self._site is not None:
            record.msg, record.args = f"{_BUILDING}{self._site}", None
            return True
        return said != _CLEANING and not said.startswith(_BUILDING)

    def close(self) -> None:
        """Let MkDocs speak as it does."""
        _logger.removeFilter(self)
