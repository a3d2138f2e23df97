"""Draws the picture that stands for a page where its address is shared, from the drawing beside this file.

Networks that show such pictures take no SVG, so it is committed as PNG; it is drawn anew only when the drawing changes.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
DRAWING = Path(__file__).with_name("card.svg")
CARD = ROOT / "templates" / "img" / "card.png"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def main() -> None:
    """Draw it as large as the drawing says."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        sys.exit(f"there is no Chromium: none of {', '.join(CHROMIUMS)} is on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(f"<style>body {{ margin: 0 }}</style>{DRAWING.read_text(encoding='utf-8')}")
        page.screenshot(path=CARD)
        browser.close()


if __name__ == "__main__":
    main()
