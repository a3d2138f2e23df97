"""When a page was changed, for the sitemap: on the day that SOURCE_DATE_EPOCH names, else on none.

MkDocs takes the day of the build, which is true of no page and makes two builds of the same content differ.
"""

from __future__ import annotations

import os
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

EPOCH = "SOURCE_DATE_EPOCH"
"""The variable by which builders of reproducible packages name the time of a build, in seconds; MkDocs reads it."""
LATEST = 253_402_300_799
"""The last second that has a date."""


class _Undated(str):
    """A day for those who need one, the first that clocks count, that shows nowhere, as it counts as none."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


UNDATED = _Undated("1970-01-01")
"""MkDocs compresses the sitemap with the latest of its pages' days, and lists each that counts as one."""


def undated(page: Page) -> Page:
    """The page without the day of the build, unless that is stated."""
    if EPOCH not in os.environ:
        page.update_date = UNDATED
    return page


def refuse_wrong_epoch() -> None:
    """Refuse a time of the build that is none, before MkDocs ends over it.

    Raises:
        PluginError: it is no number of seconds since 1970.
    """
    stated = os.environ.get(EPOCH)
    if stated is not None and (re.fullmatch("[0-9]{1,12}", stated) is None or int(stated) > LATEST):
        raise PluginError(f"the variable {EPOCH} is {stated!r}, which is no number of seconds since 1970; unset it")
