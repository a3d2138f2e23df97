"""The page that a preview shows while it has no good site yet: every issue, escaped, without the project's theme.

It needs nothing from the content or the theme, as either may be what is broken.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from atlas.issues import Issue, ordered

_TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ heading }}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  li { margin-block: 1rem; }
  pre { overflow-x: auto; margin: 0.25rem 0; }
</style>
</head>
<body>
<h1>{{ heading }}</h1>
<p>The site is built as soon as this is fixed; this page then reloads itself.</p>
{%- if problem %}
<pre>{{ problem }}</pre>
{%- endif %}
<ol>
{%- for issue in issues %}
<li><code>{{ issue.path }}{% for number in (issue.line, issue.column) if number %}:{{ number }}{% endfor %}</code>
<strong>{{ issue.code }}</strong> {{ issue.message }}
{%- if issue.excerpt %}
<pre>{{ issue.excerpt }}</pre>
{%- endif %}
{%- if issue.hint %}
<div>{{ issue.hint }}</div>
{%- endif %}
</li>
{%- endfor %}
</ol>
</body>
</html>
"""


def issue_page(issues: Iterable[Issue], problem: str = "") -> str:
    """A whole HTML document that lists the issues, and a problem that concerns no file where there is one."""
    found = ordered(issues)
    heading = f"{len(found)} {'issue' if len(found) == 1 else 'issues'} in content" if found else "The build failed"
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_TEMPLATE).render(heading=heading, issues=found, problem=problem)


def write_issue_page(folder: Path, found: Iterable[Issue | str]) -> None:
    """Replace whatever was built in a folder by this page, at every address; texts are problems without a place."""
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    found = list(found)
    problem = "\n".join(item for item in found if isinstance(item, str))
    page = issue_page((item for item in found if isinstance(item, Issue)), problem)
    for name in ("index.html", "404.html"):
        (folder / name).write_text(page, encoding="utf-8")
