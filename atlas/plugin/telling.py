"""How a build tells of what does not keep it from making the site, such as dead links, and notes what was told.

With `--strict` such a thing ends the build all the same, whatever `--quiet` hides; and a build in which nothing has
changed says again what the one before it had to say.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import CountHandler

from atlas.issues import Issue, show
from atlas.plugin.pages import shown_issues
from atlas.plugin.present import Warned

Told = tuple[int, Issue]
"""How grave something is, as levels of logs, and what it is."""

_log = logging.getLogger("mkdocs.plugins.atlas")
_mkdocs_log = logging.getLogger("mkdocs")


class Telling(logging.Handler):
    """Tells of issues, and notes everything that any part of a build warns of."""

    def __init__(self, config: MkDocsConfig) -> None:
        super().__init__(logging.WARNING)
        self._config = config
        self.told: list[Warned] = []
        """What the build warned of."""
        _mkdocs_log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Note a warning."""
        self.told.append(Warned(record.name, record.levelno, record.getMessage()))

    def tell(self, told: Iterable[Told]) -> None:
        """Tell of issues, the gravest first."""
        told = list(told)
        for level in sorted({level for level, _ in told}, reverse=True):
            for issue in shown_issues(self._config, (one for grave, one in told if grave == level)):
                text = show([issue])
                if level >= logging.WARNING and self._config.strict:
                    # `--quiet` shows errors alone, and MkDocs counts for `--strict` what is shown.
                    _log.error("%s", text)
                    continue
                if level >= logging.WARNING and not _log.isEnabledFor(level):
                    self.told.append(Warned(_log.name, level, text))  # no handler hears what is hidden
                _log.log(level, "%s", text)

    def tell_all(self, issues: Iterable[Issue]) -> None:
        """Tell of issues that are all warned of."""
        self.tell((logging.WARNING, issue) for issue in issues)

    def is_fatal(self) -> bool:
        """Whether MkDocs, which counts warnings under `--strict`, has any and will abort."""
        counting = (handler for handler in _mkdocs_log.handlers if isinstance(handler, CountHandler))
        return bool(self._config.strict) and any(handler.get_counts() for handler in counting)

    def close(self) -> None:
        """Note no more."""
        _mkdocs_log.removeHandler(self)
        super().close()
