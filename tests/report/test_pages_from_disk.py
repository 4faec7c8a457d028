"""The report and the page of one ink, opened from disk in a browser: no server, no network, no errors."""

import shutil

import pytest

from known_readings import looking_at, read_rightly, written

pytest.importorskip("playwright", reason="pages are tested with playwright (inktex[dev])")

from playwright.sync_api import sync_playwright

from inktex.report.report import SystemReadings, write_report
from inktex.report.why import why_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture
def page(browser):
    """A page that must not complain or ask for anything that is not on disk."""
    made = browser.new_page(viewport={"width": 1000, "height": 800})
    trouble: list[str] = []
    made.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda error: trouble.append(str(error)))
    made.on(
        "request", lambda request: None if request.url.startswith("file:") else trouble.append(request.url)
    )
    yield made
    assert not trouble
    made.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Two models: both read 1 as 2, and one also takes a power for a product."""
    plus, power = written("x+1"), written("x^2")
    swapped = looking_at(plus.ink, ("x", "+", "2"), plus.strokes_of)
    flat = looking_at(power.ink, ("x", "2"), [power.strokes_of[0], power.strokes_of[3]])
    vocabulary = frozenset("x+12^{}")
    systems = [
        SystemReadings("p1", [swapped, flat], {0: read_rightly(plus)}, vocabulary),
        SystemReadings("p2", [swapped, read_rightly(power)], {0: read_rightly(plus)}, vocabulary),
    ]
    folder = tmp_path_factory.mktemp("report")
    write_report(folder, "test2013", [plus, power], systems, "made by a test")
    return folder


def test_the_gallery_is_searched_filtered_and_sorted(page, site):
    page.goto((site / "index.html").as_uri())
    cards = page.locator(".cards > *")
    assert cards.count() == 2
    page.select_option("select[name=wrong]", "first")
    assert cards.count() == 1
    assert "x ^ { 2 }" in " ".join(cards.first.inner_text().split())
    page.get_by_role("button", name="Reset").click()
    page.fill("input[name=text]", "+")
    assert cards.count() == 1
    kept = page.url
    page.goto("about:blank")
    page.goto(kept)  # the address keeps the filter
    assert cards.count() == 1


def test_attention_is_shown_on_demand(page, site):
    page.goto((site / "index.html").as_uri())
    page.get_by_role("button", name="Attention").first.click()
    page.wait_for_selector("dialog[open] svg")
    assert "Step 1 of" in page.inner_text("dialog[open]")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_the_page_of_one_ink_lights_strokes_token_by_token(page, tmp_path):
    example = written("x+1")
    file = tmp_path / "why.html"
    file.write_text(why_page([("answer", read_rightly(example))], heading="x", intro=""), encoding="utf-8")
    page.goto(file.as_uri())
    assert "Step 1 of 4: x" in page.inner_text("body")
    page.get_by_role("tab", name="+", exact=True).hover()
    page.wait_for_function("() => document.body.innerText.includes('Step 2 of 4: +')")
