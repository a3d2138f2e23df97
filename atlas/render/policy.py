"""The content security policy of every page: what it may load and run, said once for the theme, its tests and hosts.

A page states it itself, so that it holds on hosts where nobody can set headers; hosts that can may send it as well.
"""

from __future__ import annotations

POLICY = "; ".join(
    (
        "default-src 'self'",
        "object-src 'none'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",  # KaTeX writes the measures of a formula into style attributes
        "script-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""The policy as a page states it."""

HEADERS = (
    ("Content-Security-Policy", f"{POLICY}; frame-ancestors 'none'"),  # the last is heard in a header only
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
    ("X-Content-Type-Options", "nosniff"),
)
"""The headers with which a host that can be told so should send every answer."""
