from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markupsafe import Markup

from atlas.markup.inline import parse_inline
from atlas.markup.prose import Heading, is_allowed, parse, slug
from atlas.node.environment import prepare
from atlas.node.process import Formula, NodeProcess

INLINE = {"em", "strong", "s", "code", "a", "span"}
BLOCKS = {
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "div"),
    *("table", "thead", "tbody", "tr", "th", "td", "img"),
}
ATTRIBUTES: dict[tuple[str, str], str] = {
    ("a", "href"): r"https?:[^\x00-\x20\\]*|mailto:[^\x00-\x20\\]*|(?!//)[^:\x00-\x20\\]*([/?#][^\x00-\x20\\]*)?",
    ("a", "rel"): "noopener",
    ("a", "title"): r"(?s).*",
    ("a", "class"): "headerlink",
    ("a", "aria-label"): r"(?s)Permalink to “.*”",
    ("img", "src"): r"(?!//)[^:\x00-\x20\\]*([/?#][^\x00-\x20\\]*)?",
    ("img", "alt"): r"(?s).*",
    ("img", "title"): r"(?s).*",
    ("ol", "start"): r"\d+",
    ("th", "class"): "left|right|center",
    ("td", "class"): "left|right|center",
    ("div", "class"): "code|table|math-display",
    ("div", "tabindex"): "0",
    ("pre", "tabindex"): "0",
    ("code", "class"): r"language-[\w+#.-]+",
    ("span", "class"): r"katex|[a-z0-9]{1,3}",
    **{(f"h{level}", "id"): r"[\w-]+" for level in range(1, 7)},
}
VOID = {"img", "br", "hr"}
DISPLAY = '<div class="math-display" tabindex="0"><span class="katex">{}</span></div>'
CODE = '<div class="code"><pre tabindex="0"><code{}>{}</code></pre></div>'


def typeset(formula: Formula) -> Markup:
    return Markup('<span class="katex">{}</span>').format(formula.tex)


class Judge(HTMLParser):
    """Reads HTML as a browser does and objects to all that is not on the lists above."""

    def __init__(self, allowed: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.allowed = allowed
        self.open: list[str] = []
        self.objections: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.allowed:
            self.objections.append(f"<{tag}>")
        for name, value in attrs:
            pattern = ATTRIBUTES.get((tag, name))
            if pattern is None or value is None or not re.fullmatch(pattern, value):
                self.objections.append(f"<{tag} {name}={value!r}>")
            if name == "id":
                self.ids.append(str(value))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.objections.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.objections.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.objections.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.objections.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.objections.append(f"<![{data}]>")


def objections(html: str, allowed: set[str]) -> list[str]:
    judge = Judge(allowed)
    judge.feed(html)
    judge.close()
    assert judge.open == []
    assert len(judge.ids) == len(set(judge.ids))
    return judge.objections


def html_of(markdown: str) -> str:
    return str(parse(markdown).render(typeset)).strip()


def inline(text: str) -> str:
    return str(parse_inline(text).render(typeset))


HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</code></pre>", "<!--", "-->"),
                *("javascript:alert(1)", "JaVaScRiPt:x", "java&Tab;script:x", "&#106;avascript:x", "data:text/html,x"),
                *("vbscript:x", "file:///etc", "//evil.example", "/\\evil.example", "https://a.example/?q=<b>"),
                *("mailto:a@b.example", "[a](", "[a](<", "![a](", "[", "](", ")", ">)", ' "t")', " 't\" onclick=x')"),
                *("foo:bar", "[r]: ", "[r]", "<https://", "<javascript:", "<?", "]]>", "`", "```", "~~~"),
                *("$", "$$", "\\", "\\$", "*", "**", "_", "~~", "|", "|--|", "\n", "\n\n", "    ", "\t", "\r"),
                *("# ", "## ", "> ", "- ", "1. ", "<", ">", "&", "&lt;", "&quot;", '"', "'", "&#x3c;"),
                *("<![CDATA[", "```<b> \"x\"", "\u202e", "\u2028", "\x00", "😀", "{onclick=x}", "x", "text"),
            ]
        ),
        st.text(max_size=5),
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(HOSTILE)
@example("[a](javascript:alert(1)) ![b](javascript:alert(1)) <javascript:alert(1)>")
@example('```"><script>\nx\n```')
@example("# <b>\n# <b>\n")
@example("[![a](//x.example)](https://y.example)")
def test_no_page_text_can_bring_html_of_its_own(text: str) -> None:
    parsed = parse(text)
    assert objections(parsed.render(typeset), BLOCKS | INLINE) == []
    assert objections(parsed.render_plain(), BLOCKS | INLINE) == []
    for heading in (*parsed.toc, *parsed.contents(typeset)):
        assert objections(heading.title_html, INLINE - {"a"}) == []


@given(HOSTILE)
@example("[a](javascript:alert(1)) ![b](https://x.example) <i>\n\n# c")
def test_no_text_of_an_entry_can_bring_html_of_its_own_or_a_block(text: str) -> None:
    assert objections(inline(text), INLINE) == []


@given(HOSTILE)
def test_the_formulas_that_are_rendered_are_those_that_were_collected(text: str) -> None:
    for parsed in (parse(text), parse_inline(text)):
        asked: list[Formula] = []

        def collect(formula: Formula, asked: list[Formula] = asked) -> Markup:
            asked.append(formula)
            return typeset(formula)

        parsed.render(collect)
        assert tuple(asked) == parsed.formulas


@pytest.mark.parametrize(
    ("html", "objection"),
    [
        ("<script>", "<script>"),
        ('<a href="javascript:x">y</a>', "<a href='javascript:x'>"),
        ('<a href="//x">y</a>', "<a href='//x'>"),
        ('<a href="a" onclick="x">y</a>', "<a onclick='x'>"),
        ('<img src="https://x.example/y.png">', "<img src='https://x.example/y.png'>"),
        ("<!-- x -->", "<!-- x -->"),
        ("<em></strong>", "</strong>"),
    ],
)
def test_the_judge_of_these_tests_objects(html: str, objection: str) -> None:
    judge = Judge(BLOCKS | INLINE)
    judge.feed(html)
    assert judge.objections == [objection]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a *b* **c** ~~d~~ `e<`", "<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e&lt;</code></p>"),
        ("<b>bold</b>", "<p>&lt;b&gt;bold&lt;/b&gt;</p>"),
        ("[a](b.md#c)", '<p><a href="b.md#c">a</a></p>'),
        ("[a](#c)", '<p><a href="#c">a</a></p>'),
        ("[a](/b/?c:d)", '<p><a href="/b/?c:d">a</a></p>'),
        ("[a](https://b.example)", '<p><a href="https://b.example" rel="noopener">a</a></p>'),
        ("[a](HTTP://b.example 'c')", '<p><a href="HTTP://b.example" title="c" rel="noopener">a</a></p>'),
        ("<https://b.example>", '<p><a href="https://b.example" rel="noopener">https://b.example</a></p>'),
        ("<a@b.example>", '<p><a href="mailto:a@b.example">a@b.example</a></p>'),
        ("[a](javascript:b)", "<p>[a](javascript:b)</p>"),
        ("[a](data:image/png;base64,x)", "<p>[a](data:image/png;base64,x)</p>"),
        ("![a](data:image/png;base64,x)", "<p>![a](data:image/png;base64,x)</p>"),
        ("![a *b* $c$](d.png 'e')", '<p><img src="d.png" alt="a b c" title="e"></p>'),
        ("![a *b*](https://c.example/d.png)", '<p><a href="https://c.example/d.png" rel="noopener">a b</a></p>'),
        ("![](https://c.example)", '<p><a href="https://c.example" rel="noopener">https://c.example</a></p>'),
        ("[![a](https://c.example)](d.md)", '<p><a href="d.md">a</a></p>'),
        ("$x$ and \\$y\\$", '<p><span class="katex">x</span> and $y$</p>'),
        ("$d$ is 512", '<p><span class="katex">d</span> is 512</p>'),
        ("2$x$2", "<p>2$x$2</p>"),
        ("from $5-$10, or $ 7 $", "<p>from $5-$10, or $ 7 $</p>"),
        ("`$x$`", "<p><code>$x$</code></p>"),
        ("$a_1 * b * c_2$", '<p><span class="katex">a_1 * b * c_2</span></p>'),
        (r"$\{a\}\\b$", r'<p><span class="katex">\{a\}\\b</span></p>'),
        ("$$\nx\n$$", DISPLAY.format("x")),
        ("> $$\n> x\n> y\n> $$", "<blockquote>\n" + DISPLAY.format("x\ny") + "\n</blockquote>"),
        ("```python\n1\n```", CODE.format(' class="language-python"', '<span class="mi">1</span>')),
        ("```\n<b>\n\n```", CODE.format("", "&lt;b&gt;\n")),
        ("```no<such> language\nx\n```", CODE.format("", "x")),
        ("    x<y", CODE.format("", "x&lt;y")),
    ],
)  # fmt: skip
def test_a_page_renders(markdown: str, html: str) -> None:
    assert html_of(markdown) == html


def test_a_table_scrolls_in_a_box_of_its_own() -> None:
    html = html_of("| a | b |\n|:--|--:|\n| $x$ | c |")
    assert html.startswith('<div class="table" tabindex="0"><table>')
    assert html.endswith("</table></div>")
    assert '<td class="left"><span class="katex">x</span></td>' in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# a", "# a"),
        ("- a\n- b", "- a - b"),
        ("  a  \n\n  b\\\nc", r"a b\ c"),
        ("a & <b> \"c\"", "a &amp; &lt;b&gt; &quot;c&quot;"),
        ("`a` *b* [c](d.md)", '<code>a</code> <em>b</em> <a href="d.md">c</a>'),
        ("$x$ and $$y$$", '<span class="katex">x</span> and <span class="katex">y</span>'),
        ("![a](b.png)", '<a href="b.png">a</a>'),
        ("a | b\n--|--\nc | d", "a | b --|-- c | d"),
        ("", ""),
        ("[a]\n\n[a]: b.md", "[a] [a]: b.md"),
    ],
)  # fmt: skip
def test_a_line_of_an_entry_renders_without_blocks(text: str, html: str) -> None:
    assert inline(text) == html


def test_a_line_has_its_plain_text_and_its_formulas() -> None:
    parsed = parse_inline("The *gain* `g` is $\\gamma$,\n see [there](x.md) $$y$$")
    assert parsed.text == "The gain g is \\gamma, see there y"
    assert parsed.formulas == (Formula("\\gamma"), Formula("y"))


def test_formulas_are_collected_in_reading_order_with_their_lines() -> None:
    parsed = parse("# $a$\n\nb $c$\nd $e$\n\n$$\nf\n$$\n\n| g |\n|--|\n| $h$ |\n\n- $i$ $$j$$\n\n$c$ `$k$`\n")
    assert list(zip([formula.tex for formula in parsed.formulas], parsed.formula_lines, strict=True)) == [
        *(("a", 1), ("c", 3), ("e", 4), ("f", 6), ("h", 12), ("i", 14), ("j", 14), ("c", 16)),
    ]
    assert [formula.tex for formula in parsed.formulas if formula.display] == ["f", "j"]


def test_headings_have_stable_distinct_ids_and_a_permalink() -> None:
    text = "# The *role* of $\\gamma$ & [x](y.md)\n## Same\n## Same\n## Same-1\n## ![i](i.png)\n## !?\n"
    parsed = parse(text)
    assert parsed.title == "The role of \\gamma & x"
    assert [(heading.level, heading.id) for heading in parsed.toc] == [
        *((1, "the-role-of-gamma--x"), (2, "same"), (2, "same-1"), (2, "same-1-1"), (2, "i"), (2, "section")),
    ]
    html = parsed.render(typeset)
    assert '<h2 id="same">Same<a class="headerlink" href="#same" aria-label="Permalink to “Same”">#</a></h2>' in html
    assert "headerlink" not in parsed.render_plain()


def test_the_table_of_contents_shows_formulas_as_tex_or_typeset_and_no_links() -> None:
    parsed = parse("# *a* $b<c$ [d](e.md) ![f](g.png)")
    text = "a b<c d f"
    assert parsed.toc == (Heading(1, "a-bc-d-f", Markup("<em>a</em> <code>b&lt;c</code> d f"), text),)
    typeset_title = Markup('<em>a</em> <span class="katex">b&lt;c</span> d f')
    assert parsed.contents(typeset) == (Heading(1, "a-bc-d-f", typeset_title, text),)


def test_a_text_without_a_first_heading_has_no_title() -> None:
    assert parse("## a\n\nb").title is None
    assert parse("").render(typeset) == ""


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Layer Norm", "layer-norm"),
        ("  What's new, in 2.0?  ", "whats-new-in-20"),
        ("q_proj & k-proj", "q_proj--k-proj"),
        ("Größe 長さ", "größe-長さ"),
        ("…", "section"),
    ],
)
def test_an_id_is_made_as_github_makes_it(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        *((url, True) for url in ("a.md", "../a/", "#b", "?c=d:e", "/a:b", "", "a%20b")),
        *((url, True) for url in ("https://x", "http://x", "HTTPS://x", "mailto:x@y")),
        *((url, False) for url in ("javascript:x", "JAVASCRIPT:x", "data:x", "vbscript:x", "file:///x", "x:y")),
        *((url, False) for url in ("//x", "/\\x", "\\\\x", "/%5cx", "java\tscript:x", "java%09script:x", " x:y")),
    ],
)  # fmt: skip
def test_which_addresses_a_link_may_have(url: str, allowed: bool) -> None:
    assert is_allowed(url) is allowed


def test_a_page_with_real_formulas() -> None:
    parsed = parse("# About $\\gamma$\n\nA gain $\\gamma \\in \\mathbb{R}^d$:\n\n$$\ny = \\gamma \\odot x\n$$\n")
    with NodeProcess(prepare()) as node:
        results = {result.formula: result for result in node.typeset(parsed.formulas)}

    def shown(formula: Formula) -> Markup:
        html = results[formula].html
        assert html is not None
        return html

    html = parsed.render(shown)
    assert html.count('<span class="katex">') == 3
    assert html.count('<div class="math-display" tabindex="0"><span class="katex-display">') == 1
    assert parsed.contents(shown)[0].title_html.startswith('About <span class="katex">')


def test_controls_of_direction_are_shown_and_not_obeyed() -> None:
    for control in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        sign = f"⟨U+{ord(control):04X}⟩"
        html = parse(f"# a{control}b\n\n[c{control}](x.md) `d{control}` ${control}$").render(
            lambda formula: Markup("{}").format(formula.tex)
        )
        assert control not in html
        assert html.count(sign) >= 4
        assert parse_inline(f"a{control}b").text == f"a{sign}b"


@given(st.text("ab1_ ,.;:()/+=?%“”‘’'\"–—×·-é", min_size=1, max_size=12).map(str.strip).filter(bool))
@example("_a_")
@example("a $b_{1}$, $c$: d")
@example("$ a$ b")
@example("$a $ b")
@example("$a$$b$")
@example("$a$1 b$")
@example("$a$² b$")
@example("$a\\$ b$")
@example("$a$b")
@example("a $*b* \\beta$ – $c$")
def test_a_text_without_signs_of_markdown_is_shown_as_the_parser_would_show_it(text: str) -> None:
    plain, parsed = parse_inline(text), parse_inline(f"{text} `x`")
    assert str(parsed.render(typeset)) == f"{plain.render(typeset)} <code>x</code>"
    assert parsed.text == f"{plain.text} x"
    assert parsed.formulas == plain.formulas


@given(st.lists(st.sampled_from(["$", "$a$", "$b_{1}$", "$\\gamma *$", "c", " ", ", ", "1", "(", ")", "\\", "–"])))
def test_formulas_in_a_text_are_found_as_the_parser_would_find_them(parts: list[str]) -> None:
    text = "".join(["a", *parts]).strip()
    plain, parsed = parse_inline(text), parse_inline(f"{text} `x`")
    assert parsed.formulas == plain.formulas
    assert str(parsed.render(typeset)) == f"{plain.render(typeset)} <code>x</code>"


def test_cells_are_aligned_by_classes_as_pages_have_styles_for_formulas_alone() -> None:
    html = parse("| a | b | c | d |\n| :-- | --: | :-: | --- |\n| 1 | 2 | 3 | 4 |\n").render_plain()
    assert "style=" not in html
    for cell in ("th", "td"):
        found = re.findall(rf'<{cell}(?: class="([a-z]+)")?>', html)
        assert found == ["left", "right", "center", ""]
