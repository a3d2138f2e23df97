"""The structure beside each page, as its template prints it: what the pages of one folder show alike is made once.

Their links to all other pages are the same, so their columns differ in nothing but the places that are marked. So it is
with our own theme's template; one of the author's may print anything of each page, and is asked for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jinja2 import Template
from markupsafe import Markup

from atlas.render.relative import relative_url
from atlas.render.structure_view import PlaceItem, StructureView, places_here

Macro = Callable[[PlaceItem], Markup]
"""What prints a place."""
_HERE = Markup("\0")
"""Stands where a place will be; no page has it."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The columns of one folder's pages around their places."""

    places: tuple[PlaceItem, ...]
    """The places, none of them marked."""
    between: tuple[str, ...]
    """What is before the first of them, between each two, and after the last."""
    macro: Macro
    """What prints a place as the page at hand has it."""


def _anew(macro: Macro, place: PlaceItem) -> Markup:
    """A place as a macro prints it."""
    return macro(place)


class Columns:
    """Prints columns, one page after the other.

    `template` gets the template once it is needed; if it `is_own`, it is our own theme's.
    """

    def __init__(self, template: Callable[[], Template], *, is_own: bool = True) -> None:
        self._template = template
        self._is_own = is_own
        self._page = ""
        self._folder = ""
        self._made: dict[PlaceItem, Markup] = {}
        self._frame: _Frame | None = None

    def column(self, view: StructureView, page: str) -> str:
        """The structure beside the page at an address."""
        self._page = page
        if not self._is_own:
            return self._whole(view, _anew)
        folder = page.rstrip("/").rpartition("/")[0]
        if folder != self._folder:
            self._folder, self._frame = folder, None
            self._made.clear()
        if view.is_current:
            return self._whole(view, self._again)
        if self._frame is None or self._frame.places is not view.unmarked:
            self._frame = self._framed(view)
        return self._whole(view, self._again) if self._frame is None else self._filled(self._frame)

    def _whole(self, view: StructureView, again: Callable[[Macro, PlaceItem], Markup]) -> str:
        return self._template().render(view=view, to=self._to, again=again)

    def _framed(self, view: StructureView) -> _Frame | None:
        """What is around the places; None where the template does not have each of them printed by what it is given."""
        asked: list[PlaceItem] = []
        macros: list[Macro] = []

        def left_out(macro: Macro, place: PlaceItem) -> Markup:
            asked.append(place)
            macros.append(macro)
            return _HERE

        between = tuple(self._whole(view, left_out).split(_HERE))
        here = iter(places_here(view.unmarked, self._page))
        expected = [next(here) if one.url == self._page else one for one in view.unmarked]
        if not macros or asked != expected or len(between) != len(asked) + 1:
            return None
        return _Frame(view.unmarked, between, macros[0])

    def _filled(self, frame: _Frame) -> str:
        """The column of the page at hand."""
        here = iter(places_here(frame.places, self._page))
        pieces = [frame.between[0]]
        for place, after in zip(frame.places, frame.between[1:], strict=True):
            pieces.append(self._again(frame.macro, next(here) if place.url == self._page else place))
            pieces.append(after)
        return "".join(pieces)

    def _again(self, macro: Macro, place: PlaceItem) -> Markup:
        """A place as a macro prints it, unless it was printed for a page beside this one."""
        if place.url.startswith(self._page):  # below the page, where links are shorter, or the page itself
            return macro(place)
        if place not in self._made:
            self._made[place] = macro(place)
        return self._made[place]

    def _to(self, target: str) -> str:
        """The link from the page at hand."""
        return target if target.startswith("https://") else relative_url(target, self._page)
