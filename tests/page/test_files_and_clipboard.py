"""Copy, save and open: what leaves the page is what programs expect, what comes in is any supported ink."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inktex.ink import Ink, read, write_inkml
from inktex.latex import normalize

Strokes = list[list[list[float]]]


@pytest.fixture
def copying(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, examples: dict[str, Strokes]
) -> Any:
    page = new_page(
        page_server.url, permissions=["clipboard-read", "clipboard-write"], reduced_motion="reduce"
    )
    page.wait_for_selector('#state[data-state="ready"]')
    paper = paper_of(page)
    paper.write(examples[r"x^{2} + 1"], width=360)
    paper.wait_for_latex("x^{2}+1")
    return paper


def copied(paper: Any, kind: str) -> str:
    page = paper.page
    page.click("#copy-more")
    page.click(f'[data-copy="{kind}"]')
    page.wait_for_selector("#toast")
    text = str(page.evaluate("() => navigator.clipboard.readText()"))
    page.evaluate("() => { document.querySelector('#toast').hidden = true }")
    return text


def test_copy_in_every_form(copying: Any) -> None:
    page = copying.page
    page.click("#copy")
    page.wait_for_selector("#toast")
    assert page.evaluate("() => navigator.clipboard.readText()") == "x^{2}+1"
    page.evaluate("() => { document.querySelector('#toast').hidden = true }")
    mathml = copied(copying, "mathml")
    assert mathml.startswith("<math")
    assert "data-token" not in mathml
    assert copied(copying, "typst").replace(" ", "") in ("x^2+1", "x^(2)+1")
    assert "<path" in copied(copying, "ink-svg")
    svg = copied(copying, "formula-svg")
    assert "<path" in svg  # real paths, which every program reads
    assert "foreignObject" not in svg
    for kind in ("ink-png", "formula-png"):
        page.click("#copy-more")
        page.click(f'[data-copy="{kind}"]')
        page.wait_for_function("() => document.querySelector('#toast').textContent === 'Copied'")
        picture = page.evaluate(
            """async () => {
                const [item] = await navigator.clipboard.read();
                const bitmap = await createImageBitmap(await item.getType('image/png'));
                const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
                const context = canvas.getContext('2d');
                context.drawImage(bitmap, 0, 0);
                const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
                let dark = 0;
                for (let i = 0; i < data.length; i += 4) dark += data[i] < 100;
                return [bitmap.width, bitmap.height, dark];
            }"""
        )
        assert picture[0] > 60
        assert picture[2] > 100, f"{kind} is empty"
        page.evaluate("() => { document.querySelector('#toast').textContent = '' }")


def saved(page: Any, kind: str, folder: Path) -> Path:
    page.click("#save")
    with page.expect_download() as download:
        page.click(f'[data-save="{kind}"]')
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    assert target.suffix == f".{kind}"
    return target


def test_saved_ink_is_read_back(copying: Any, tmp_path: Path) -> None:
    page = copying.page
    inks = [read(saved(page, kind, tmp_path)) for kind in ("inkml", "json")]
    assert len(inks[0]) == copying.stroke_count
    assert inks[0].points.tolist() == inks[1].points.tolist()
    for ink in inks:
        assert ink.time is not None
        assert ink.pressure is not None
        assert normalize(ink.truth or "") == normalize("x^{2}+1")
    for kind in ("xopp", "excalidraw"):
        ink = read(saved(page, kind, tmp_path))
        assert ink.pressure is not None
        moved = inks[0].translate(*(ink.points[0] - inks[0].points[0]))
        np.testing.assert_allclose(ink.points, moved.points, atol=0.011)
    for kind in ("svg", "png"):
        assert saved(page, kind, tmp_path).stat().st_size > 300


def ink_files(strokes: Strokes, folder: Path) -> list[Path]:
    ink = Ink.from_strokes(strokes)
    lines = "".join(
        f'<stroke tool="pen" width="1">{" ".join(f"{x:.1f} {y:.1f}" for x, y in stroke.tolist())}</stroke>'
        for stroke in ink.strokes
    )
    xournal = f'<xournal><page width="9" height="9"><layer>{lines}</layer></page></xournal>'
    elements = [{"type": "freedraw", "x": 0, "y": 0, "points": stroke.tolist()} for stroke in ink.strokes]
    contents = {
        "a.inkml": write_inkml(ink).encode(),
        "b.json": json.dumps(strokes).encode(),
        "c.xopp": gzip.compress(xournal.encode()),
        "d.excalidraw": json.dumps({"type": "excalidraw", "elements": elements}).encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


def drop(page: Any, path: Path) -> None:
    """Let a file fall on the page, as from a file manager."""
    transfer = page.evaluate_handle(
        """([name, bytes]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], name));
            return transfer;
        }""",
        [path.name, list(path.read_bytes())],
    )
    page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    assert page.locator("#drop").is_visible()
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    assert page.locator("#drop").is_hidden()


def test_ink_of_every_format_is_opened(paper: Any, examples: dict[str, Strokes], tmp_path: Path) -> None:
    page = paper.page
    files = ink_files(examples[r"\sqrt{x + y}"], tmp_path)
    for number, file in enumerate(files):
        if number == 0:
            with page.expect_file_chooser() as chooser:
                page.click("#open")
            chooser.value.set_files(file)
        else:
            drop(page, file)
        paper.wait_for_latex(r"\sqrt{x+y}")
        assert paper.stroke_count == len(examples[r"\sqrt{x + y}"])
        page.click("#clear")
        paper.wait_for_latex("")


def test_a_file_that_is_no_ink_is_explained(
    new_page: Callable[..., Any], paper_of: Callable[..., Any], page_server: Any, tmp_path: Path
) -> None:
    page = new_page(page_server.url, expect=("422",))  # the browser notes the refusal on its console
    page.wait_for_selector('#state[data-state="ready"]')
    (tmp_path / "note.inkml").write_text("this is no ink")
    drop(page, tmp_path / "note.inkml")
    page.wait_for_selector("#toast.problem")
    assert "note.inkml" in page.inner_text("#toast")
    with page.expect_file_chooser() as chooser:
        page.click("#open")
    (tmp_path / "big.json").write_bytes(b" " * 600_000)
    chooser.value.set_files(tmp_path / "big.json")
    page.wait_for_function("() => document.querySelector('#toast').textContent.includes('512 KB')")
