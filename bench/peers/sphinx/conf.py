"""Sphinx with KaTeX and Pygments at build."""

import sphinxcontrib.katex

project = "Benchmark"
extensions = ["myst_parser", "sphinxcontrib.katex"]
katex_prerender = True
html_theme = "basic"

# Seconds: a machine that does other things too must not end the build.
sphinxcontrib.katex.STARTUP_TIMEOUT = sphinxcontrib.katex.RENDER_TIMEOUT = 60.0
