"""From a project's content to its finished site: load, resolve, check, then render what holds."""

from __future__ import annotations

from itertools import pairwise

from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

from atlas.render.site import Heading, Prose, ProseFile, Settings, Site


def build_site(settings: Settings) -> Site:
    """The site of the content in `settings.content`.

    What is wrong with the content is returned as the site's issues or raised as a ContentError that carries them; what
    keeps the build from working at all is raised as another AtlasError.
    """
    return Site(pages=(), assets=(), issues=(), prose=_prose)


def _prose(file: ProseFile) -> Prose:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").use(anchors_plugin, max_level=6)
    tokens = markdown.parse(file.markdown)
    headings = tuple(
        Heading(int(opening.tag[1:]), str(opening.attrs["id"]), "".join(part.content for part in inline.children or ()))
        for opening, inline in pairwise(tokens)
        if opening.type == "heading_open"
    )
    title = next((heading.title for heading in headings if heading.level == 1), None)
    html = str(markdown.renderer.render(tokens, markdown.options, {}))
    return Prose(html=html, title=title, headings=headings, search=html)
