"""What of a page a browser can draw before the large style sheet is there, so that nobody looks at white until then.

The theme puts the sheet between the two parts, and browsers draw what stands before a sheet while it is on its way.
"""

from __future__ import annotations

from atlas.render.fonts import has_formula

_END = "</header>"
"""With what the masthead of a page ends; no title and no summary holds it, as all text is escaped."""


def first_screen(html: str) -> tuple[str, str]:
    """A page's body up to the end of its masthead, and the rest.

    The first part is empty where it would be drawn wrongly: formulas need the sheet, and a page that begins otherwise
    may need it for anything.
    """
    first, end, rest = html.partition(_END)
    return (first + end, rest) if end and not has_formula(first) else ("", html)
