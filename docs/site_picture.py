"""Draw `docs/site.png`, the page of an operation on the site, with Chromium: `python docs/site_picture.py`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from roofproof.export.site.service_pages import service_pages
from roofproof.export.site.site import write_site

CHIPS = ["h100-sxm", "tpu-v5e", "mi300x"]
TARGET = Path(__file__).with_name("site.png")


def main() -> int:
    """Write a site with one operation, save a screenshot of its page, and return the exit status."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium is installed; cure: apt-get install chromium", file=sys.stderr)
        return 2
    with TemporaryDirectory() as home, sync_playwright() as driver:
        write_site(f"{home}/site", ["matmul"], CHIPS, None, service_pages(engine=False))
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 860}, color_scheme="light")
        page.goto(Path(home, "site", "ops", "matmul.html").as_uri())
        page.evaluate("document.fonts.ready")
        page.screenshot(path=TARGET)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
