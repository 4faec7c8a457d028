"""Draw the icons with which the page is installed: static/icon-*.png, out of static/icon.svg, by Chromium.

    python scripts/page_icons.py

Maskable icons go to the edge, since systems cut their own shape out of them; the drawing lies within the
middle 80 % that no shape cuts.
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

STATIC = Path(__file__).parents[1] / "src" / "inktex" / "server" / "static"
ICONS = {"icon-192": 192, "icon-512": 512, "icon-maskable-192": 192, "icon-maskable-512": 512}


def main() -> None:
    """Write them."""
    drawing = (STATIC / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        for name, size in ICONS.items():
            shape = drawing.replace(' rx="7"', "") if "maskable" in name else drawing
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{shape}")
            page.screenshot(path=STATIC / f"{name}.png", omit_background=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
