"""Write the cards of the shipped models, `models/README.md`, from the model files and docs/results.

python scripts/model_cards.py
"""

import json
from pathlib import Path
from typing import Any

from inktex.files import write_atomically
from inktex.runtime import ModelFile, known_models, read_model
from inktex.training.options import TrainOptions

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "models" / "README.md"
HEAD = """# Models

Made by `python scripts/model_cards.py`. `inktex models` lists the models, `inktex models NAME` prints the
card stored in a file, `inktex recognize --model NAME` uses one.

All of them: **licence** of the weights is research and other non-commercial use, because CROHME's data are
given for that; the code is Apache-2.0. **Data**: CROHME's official training set (8,835 handwritten
expressions) and what is made of it by augmentation, parts and recombination; no other ink. Choices were
made on CROHME 2013, CROHME 2014 was used to report. **Use**: single formulas in the 101 symbols of CROHME,
written left to right. **Not for**: text, chemistry, matrices, symbols outside the vocabulary (they come out
as the nearest known one), grading people. Confidence was calibrated on CROHME 2013; for other writers it
is a guide.
"""


def figures(name: str) -> list[str]:
    """Lines of the table: what `inktex evaluate` measured."""
    lines = ["| data | exact | ≤ 1 | ≤ 2 | ≤ 3 | WER | layout tree exact | layout tree ≤ 1 |"]
    lines.append("|---|" + "---:|" * 7)
    for year in ("2014", "2013"):
        results = json.loads((ROOT / f"docs/results/test{year}.json").read_text(encoding="utf-8"))
        for system in results["systems"]:
            if system["system"] == name:
                tokens, layout = system["tokens"], system["layout"]
                low, high = tokens["exact"]["low"], tokens["exact"]["high"]
                cells = [f"{tokens['exact']['percent']:.2f} ({low:.1f} to {high:.1f})"]
                cells += [
                    f"{tokens[key]['percent']:.2f}" for key in ("within_1", "within_2", "within_3", "wer")
                ]
                cells += [f"{layout[key]['percent']:.2f}" for key in ("exact", "within_1")]
                lines.append(f"| CROHME {year} | " + " | ".join(cells) + " |")
    return lines


def network(config: dict[str, Any]) -> str:
    """The network's shape in one sentence."""
    features = config["features"]
    coverage = (
        f"coverage by {config['coverage_filters']} filters of {config['coverage_window']} annotations"
        if config["coverage_window"]
        else "no coverage"
    )
    return (
        f"{config['encoder_layers']} bidirectional GRU layers of {config['encoder_units']} units, pooling by "
        f"maximum after layer {', '.join(map(str, config['pool_after']))}; "
        f"decoder GRU {config['decoder_units']}, embedding {config['embedding']}, "
        f"attention {config['attention']}, {coverage}; {features['method']} features"
    )


def training(card: dict[str, Any], recipe: str) -> str:
    """How one network was made."""
    made = card["training"]
    seed = made["options"]["seed"]
    log = f"logs/{recipe}.jsonl" if seed == 1 else f"logs/{recipe}-{seed}.jsonl"
    kept = f"[log]({log})" if (OUT.parent / log).exists() else "log not kept"
    score = made["last_validation"]
    shorter = "" if made["epochs"] == TrainOptions().epochs else f" --epochs {made['epochs']}"
    return (
        f"`inktex train --recipe {recipe} --seed {seed}{shorter}`: "
        f"{made['epochs']} epochs, {made['steps']:,} steps, "
        f"{made['cpu_seconds'] / 60:.1f} CPU minutes of one core; greedy on 2013: WER {score['wer']:.2f} %, "
        f"ExpRate {score['exprate']:.2f} %; {kept}"
    )


def card(name: str, path: Path, model: ModelFile) -> str:
    """One section."""
    config = model.members[0].config
    members = model.card.get("members") or [model.card]
    recipe = "p1" if not config["coverage_window"] else "p2"
    parameters = " + ".join(f"{member['parameters']:,}" for member in members)
    lines = [
        f"## {name}",
        "",
        f"{model.card.get('summary', name)}. `{path.relative_to(ROOT)}`, {path.stat().st_size / 1e6:.1f} MB, "
        f"{members[0]['precision']} precision, parameters: {parameters}.",
        "",
        *figures(name),
        "",
        f"- Network: {network(config)}.",
        *(f"- Trained by {training(member, recipe)}." for member in members),
    ]
    if (calibration := model.card.get("calibration")) is not None:
        error = calibration["error"]
        lines.append(
            "- Calibration on CROHME 2013 (cross-validated): "
            f"expected error {error['answer']:.2%} of answers, {error['token']:.2%} of tokens."
        )
    lines += [f"- SHA-256 of its parts' list: `{model.sha256}`.", ""]
    return "\n".join(lines)


def main() -> None:
    """Write the cards."""
    sections: list[str] = []
    vocabulary: tuple[str, ...] = ()
    for name, path in known_models():
        model = read_model(path)
        sections.append(card(name, path, model))
        vocabulary = tuple(model.members[0].config["vocabulary"])
    tokens = " ".join(token for token in vocabulary[1:] if token != "|")
    listed = f"## Vocabulary\n\nOf all models ({len(vocabulary)} with the end mark): `{tokens} |`\n"
    write_atomically(OUT, "\n".join([HEAD, *sections, listed]))
    print(OUT.relative_to(ROOT))


if __name__ == "__main__":
    main()
