"""A page whose server is late or has no room reads on the device; a token keeps the model."""

from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import Page

from running_server import RunningServer, Strokes

PATIENCE = 120_000
# A server that has no room for one more session; how times decide is tested in web/test/faster.test.ts.
BUSY = """
globalThis.WebSocket = class extends EventTarget {
    constructor() {
        super();
        setTimeout(() => this.dispatchEvent(new CloseEvent('close', { code: 1013 })));
    }
    close() {}
};
"""


def test_a_page_reads_on_the_device_where_the_server_has_no_room(
    new_page: Callable[..., Page],
    page_server: RunningServer,
    paper_of: Callable[[Page], Any],
    examples: dict[str, Strokes],
) -> None:
    page = new_page("about:blank", reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.add_init_script(BUSY)
    page.goto(page_server.url)
    page.wait_for_selector('#state[data-state="ready"]')
    assert page.inner_text("#state-text").endswith("on this device")
    paper = paper_of(page)
    paper.write(examples[r"x^{2} + 1"], width=360)
    paper.wait_for_latex("x^{2}+1", timeout=PATIENCE)
    assert page.text_content("#where") == "on this device"


def test_once_loaded_it_reads_without_a_network(
    new_page: Callable[..., Page],
    page_server: RunningServer,
    paper_of: Callable[[Page], Any],
    examples: dict[str, Strokes],
) -> None:
    offline = ("ERR_INTERNET_DISCONNECTED",)
    page = new_page(page_server.url, keep_device=True, reduced_motion="reduce", expect=offline)
    page.set_default_timeout(PATIENCE)
    paper = paper_of(page)
    paper.write(examples[r"x^{2} + 1"], width=360)
    paper.wait_for_latex("x^{2}+1")
    # After a while the page has what it needs.
    kept = """async () => {
        const names = await caches.keys();
        const files = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
        return files.flat().some(({ url }) => url.endsWith('.inktex'));
    }"""
    for _ in range(PATIENCE // 500):
        if page.evaluate(kept):
            break
        page.wait_for_timeout(500)
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector('#state[data-state="ready"]')
    assert page.inner_text("#state-text").endswith("on this device")
    paper.wait_for_latex("x^{2}+1", timeout=PATIENCE)
    placed = paper.to_screen(examples[r"x^{2} + 1"], width=360)
    x, y = placed[-1][-1][0] + 60, placed[0][0][1]
    paper.wait_for_answer(lambda: paper.stroke([[x, y], [x + 25, y], [x + 50, y]]))
    assert paper.stroke_count == len(placed) + 1
    # A symbol is drawn and found without a server, too.
    page.click("#show-finder")
    box = page.locator("#finder-paper canvas").first.bounding_box()
    assert box is not None
    left, top = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    paper.stroke([[left - 20, top], [left, top], [left + 20, top]])
    page.wait_for_selector("#finder-list li")
    assert page.locator("#finder-list li").count() == 10


def test_the_model_is_given_to_pages_of_an_open_server(page_server: RunningServer) -> None:
    described = httpx.get(f"{page_server.url}/device.json").json()
    model = httpx.get(f"{page_server.url}/{described['file']}")
    assert model.content[:2] == b"PK"
    assert "immutable" in model.headers["cache-control"]
    assert httpx.get(f"{page_server.url}/device/other.inktex").status_code == 404
    for coding in ("gzip", "identity"):
        runtime = httpx.get(
            f"{page_server.url}/js/ort-wasm-simd-threaded.wasm", headers={"Accept-Encoding": coding}
        )
        assert runtime.content[:4] == b"\0asm"
        assert runtime.headers["content-type"] == "application/wasm"


def test_a_server_with_a_token_keeps_its_model(serve_page: Callable[..., RunningServer]) -> None:
    server = serve_page(token="a secret of the tests")
    for headers in ({}, {"Authorization": "Bearer a secret of the tests"}):
        assert httpx.get(f"{server.url}/device.json", headers=headers).status_code == 404
