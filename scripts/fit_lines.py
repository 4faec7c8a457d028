"""Fit the judges that find the lines of a page, on training ink: `python scripts/fit_lines.py`.

Reads the split `train` (never a test set), composes pages of it (`line_pages.py`), and writes
src/inktex/ink/lines.json. The bar judge learns which flat strokes are bars of fractions, from the
segmentation; the cut judge learns where lines begin. Takes two minutes of one core; needs torch.
"""

import json
from pathlib import Path

import numpy as np
import torch
from line_pages import STYLES, Page, compose_pages

from inktex.corpus import Example, load_split
from inktex.ink.line_features import WINDOW, Floats, Geometry
from inktex.ink.lines import Judge

SEED = 0
EXPRESSIONS, PAGES = 8800, 600  # single ones, and pages of each style
HIDDEN = {"bar": 16, "cut": 12}
THRESHOLD = -1.0  # log odds; chosen on CROHME 2013 (docs/lines.md)
OUT = Path(__file__).parents[1] / "src" / "inktex" / "ink" / "lines.json"


def main() -> None:
    """Fit both and write them."""
    rng = np.random.default_rng(SEED)
    train = load_split("train")
    pool = [train[int(place)] for place in rng.permutation(len(train))[:EXPRESSIONS]]
    by_stem = {example.stem: example for example in pool}
    pages = [Page(each.ink, (0,) * len(each.ink), (each.stem,)) for each in pool]
    for number, style in enumerate(STYLES.values()):
        if not style.delayed:  # late strokes are put aside before cuts are judged
            pages += compose_pages(pool, style, PAGES, seed=100 + number)
    geometries = [Geometry(page.ink) for page in pages]
    bars = [[each.bar(stroke) for stroke in np.flatnonzero(each.flat).tolist()] for each in geometries]
    truth = [[s for stem in page.sources for s in fraction_bars(by_stem[stem])] for page in pages]
    x = np.array([bar.evidence for row in bars for bar in row])
    y = np.array([known[bar.stroke] for row, known in zip(bars, truth, strict=True) for bar in row], float)
    bar_judge = fit(x, y, HIDDEN["bar"], "bars")
    rows: list[Floats] = []
    labels: list[bool] = []
    for page, geometry, found in zip(pages, geometries, bars, strict=True):
        spans = [(bar.first, bar.last, 1 / (1 + np.exp(-bar_judge(bar.evidence)))) for bar in found]
        breaks = (np.flatnonzero(np.diff(page.line_of)) + 1).tolist()
        # The search meets places with none, some and all of the breaks around them found already.
        known_sets = [[], [b for b in breaks if rng.random() < 0.5], breaks] if breaks else [[]]
        for number, known in enumerate(known_sets):
            for place in geometry.places().tolist():
                if number and not any(abs(each - place) < WINDOW for each in known):
                    continue
                low = max([0, *(each for each in known if each < place)])
                high = min([len(geometry), *(each for each in known if each > place)])
                sure = max((s for first, last, s in spans if first < place <= last), default=0.0)
                rows.append(geometry.cut(low, place, high, sure))
                labels.append(place in breaks)
    cut_judge = fit(np.array(rows), np.array(labels, float), HIDDEN["cut"], "cuts")
    data = {
        "fitted on": f"CROHME 2014 training set, {EXPRESSIONS} expressions and {PAGES} pages of each style",
        "by": f"scripts/fit_lines.py, seed {SEED}",
        "threshold": THRESHOLD,
        "bar": as_data(bar_judge),
        "cut": as_data(cut_judge),
    }
    OUT.write_text(json.dumps(data) + "\n", encoding="utf-8")


def fraction_bars(example: Example) -> list[bool]:
    """For every stroke, whether it is the bar of a fraction."""
    parts = zip(example.tokens, example.strokes_of, strict=True)
    bars = {stroke for token, strokes in parts if token == r"\frac" for stroke in strokes}
    return [stroke in bars for stroke in range(len(example.ink))]


def fit(x: Floats, y: Floats, hidden: int, name: str, steps: int = 4000) -> Judge:
    """A network with one hidden layer, by AdamW on batches of 1024."""
    torch.manual_seed(SEED)
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    inputs = torch.tensor((x - mean) / spread, dtype=torch.float32)
    wanted = torch.tensor(y, dtype=torch.float32)
    net = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1)
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-2, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-2, total_steps=steps)
    for _ in range(steps):
        chosen = torch.randint(0, len(y), (1024,))
        odds = net(inputs[chosen])[:, 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(odds, wanted[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    first, first_bias, last, last_bias = (p.detach().numpy().astype(np.float64) for p in net.parameters())
    weights = first / spread
    judge = Judge(
        weights.round(5),
        (first_bias - weights @ mean).round(5),
        last[0].round(5),
        round(float(last_bias[0]), 5),
    )
    right = np.mean([(judge(row) > 0) == label for row, label in zip(x, y, strict=True)])
    print(f"{name}: {len(y)}, {100 * y.mean():.1f} % positive, {100 * right:.2f} % judged right")
    return judge


def as_data(judge: Judge) -> dict[str, object]:
    """The weights as JSON has them."""
    return {
        "hidden": judge.hidden.tolist(),
        "hidden_bias": judge.hidden_bias.tolist(),
        "output": judge.output.tolist(),
        "bias": judge.bias,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
