"""Write the cards of the shipped models, `models/README.md`, from the model files and docs/results.

python scripts/model_cards.py
"""

from pathlib import Path
from typing import Any

from readme_table import WITHIN, Results, percent, table, with_interval

from inktex.files import write_atomically
from inktex.reading import ModelFile, known_models, parameter_count, read_model
from inktex.training.recipes import recipe as load_recipe

CALIBRATED_ON = {
    "test2013": "CROHME 2013",
    "mixed": "CROHME 2013, lone symbols and unknown symbols",
    "free": "made expressions, lone symbols and unknown symbols",
}
# What a network had learned before, where that is not one of the models here.
BEFORE = {
    "paper-p1": "; the last of three parts, 73 epochs and 438 CPU minutes in all, of which the first "
    "saw no last token ([docs/experiments.md](../docs/experiments.md#what-the-attention-sees)); "
    "the log has all",
    "paper-p2": "; the last of three parts, 77 epochs and 456 CPU minutes in all, of which the first two had "
    "no coverage ([docs/experiments.md](../docs/experiments.md#what-the-attention-sees)); the log has all",
    "wide-grids": "; the last of five parts, after `inktex train --recipe wide --seed 1 --epochs 16` "
    "([log](logs/wide.jsonl)) and parts of 20, 20 and 9 epochs by `wide-grids`, 324 CPU minutes in all "
    "([docs/experiments.md](../docs/experiments.md#more-matrices-for-wide)); the log has the last four",
}
ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "models" / "README.md"
HEAD = """# Models

Made by `python scripts/model_cards.py`. `inktex models` lists the models, `inktex models NAME` prints the
card stored in a file, `inktex recognize --model NAME` uses one.

Unless a card says otherwise: **licence** of the weights is research and other non-commercial use, because
CROHME's data are given for that; the code is Apache-2.0. **Data**: CROHME's official training set (8,835
handwritten expressions) and what is made of it by augmentation, parts and recombination; no other ink.
**Use**: single formulas in the symbols listed below, written left to right; matrices with `wide` only. **Not
for**: text, chemistry, symbols outside the vocabulary (`wide` says of most that it does not know them, the
others take them for the nearest known one), grading people. Choices were made on CROHME 2013, CROHME 2014 was
used to report. For writers unlike those of the calibration, confidence is a guide.
"""


def figures(name: str) -> list[str]:
    """Lines of the table: what `inktex evaluate` measured."""
    rows = []
    for year in ("2014", "2013"):
        system = Results.read(year).systems.get(name)
        if system is not None:
            graph = [percent(system["label_graph"][key]) for key in WITHIN[1:]]
            exact, wer = system["label_graph"]["exact"], system["tokens"]["wer"]
            rows.append([f"CROHME {year}", with_interval(exact), *graph, percent(wer)])
    head = ("by label graph", "correct", "≤ 1", "≤ 2", "≤ 3", "WER, by token edits")
    return table(head, rows) if rows else ["Not measured on CROHME."]


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


def recipe_of(card: dict[str, Any], config: dict[str, Any]) -> str:
    """The name of the recipe that a network was trained by."""
    options = card["training"]["options"]
    if options["optimizer"] == "adadelta":
        return "paper-p2" if config["coverage_window"] else "paper-p1"
    if options.get("mix"):
        return "wide-grids"
    by_ink = {"wide": "wide", "free": "free", "redrawn": "twin"}
    ink = options.get("ink", "corpus")
    usual = "backward" if config.get("direction") == "backward" else "p2"
    return by_ink.get(ink, "p1" if not config["coverage_window"] else usual)


def training(card: dict[str, Any], recipe: str) -> str:
    """How one network was made."""
    made = card["training"]
    seed = made["options"]["seed"]
    logs = (f"logs/{recipe}-{seed}.jsonl", f"logs/{recipe}.jsonl")  # parts of several seeds share one
    kept = next((f"[log]({log})" for log in logs if (OUT.parent / log).exists()), "log not kept")
    score = made["last_validation"]
    usual = load_recipe(recipe).training.epochs
    # A recipe that stops early has its epochs per stage, and is rarely at its end after them.
    asked = made["options"]["epochs"] if made["options"]["patience"] else made["epochs"]
    shorter = "" if asked == usual else f" --epochs {asked}"
    if made.get("initial"):
        shorter += f" --initial {made['initial']}"
    return (
        f"`inktex train --recipe {recipe} --seed {seed}{shorter}`: "
        f"{made['epochs']} epochs, {made['steps']:,} steps, "
        f"{made['cpu_seconds'] / 60:.1f} CPU minutes of one core; greedy on 2013: WER {score['wer']:.2f} %, "
        f"ExpRate {score['exprate']:.2f} %; {kept}{BEFORE.get(recipe, '')}"
    )


def told(name: str, path: Path, model: ModelFile) -> str:
    """How a section begins."""
    return (
        f"{model.card.get('summary', name)}. `{path.relative_to(ROOT)}`, {path.stat().st_size / 1e6:.1f} MB"
    )


def ending(model: ModelFile) -> list[str]:
    """How a section ends: calibration and checksum."""
    lines = []
    if (calibration := model.card.get("calibration")) is not None:
        error, data = calibration["error"], CALIBRATED_ON[calibration.get("data", "test2013")]
        lines.append(
            f"- Calibration on {data} (cross-validated): "
            f"expected error {error['answer']:.2%} of answers, {error['token']:.2%} of tokens."
        )
    return [*lines, f"- SHA-256 of its parts' list: `{model.sha256}`.", ""]


def team(name: str, path: Path, model: ModelFile) -> str:
    """The section of a model whose networks are in other files."""
    others = ", ".join(f"`{Path(file).stem}`" for file in model.team)
    networks = sum(not member.encoder_of for member in model.members)
    search = ", ".join(f"{key} {value}" for key, value in model.search.items())
    return "\n".join(
        [
            f"## {name}",
            "",
            f"{told(name, path, model)}: names the files of {others}, which must lie beside it.",
            "",
            *figures(name),
            "",
            f"- {networks} networks, each once. Search: {search}.",
            *ending(model),
        ]
    )


def card(name: str, path: Path, model: ModelFile) -> str:
    """One section."""
    if model.team:
        return team(name, path, model)
    config = model.members[0].config
    cards = model.card.get("members") or [model.card]
    networks = [member for member in model.members if not member.encoder_of]
    each = parameter_count(model) // len(networks)  # networks of one file have the same sizes
    parameters = " + ".join([f"{each:,}"] * len(networks))
    lines = [
        f"## {name}",
        "",
        f"{told(name, path, model)}, {cards[0]['precision']} precision, parameters: {parameters}.",
        "",
        *figures(name),
        "",
        f"- Network: {network(config)}.",
        *(
            f"- Trained by {training(made, recipe_of(made, member.config))}."
            for made, member in zip(cards, networks, strict=True)
        ),
    ]
    options = cards[0]["training"]["options"]
    if options.get("ink", "corpus") != "corpus":
        lines += [f"- Data: {cards[0]['data']}.", f"- Licence of the {cards[0]['licence']}."]
    elif not options["augment"]:
        lines += [f"- Data: {cards[0]['data']}."]
    lines += ending(model)
    return "\n".join(lines)


def main() -> None:
    """Write the cards."""
    sections: list[str] = []
    vocabularies: dict[tuple[str, ...], list[str]] = {}
    for name, path in known_models():
        model = read_model(path)
        sections.append(card(name, path, model))
        vocabularies.setdefault(tuple(model.members[0].config["vocabulary"]), []).append(name)
    listed = ["## Vocabularies", ""]
    for vocabulary, names in vocabularies.items():
        tokens = " ".join(token for token in vocabulary[1:] if token != "|")
        listed += [f"{', '.join(names)}: {len(vocabulary)} with the end mark: `{tokens} |`", ""]
    write_atomically(OUT, "\n".join([HEAD, *sections, *listed]))
    print(OUT.relative_to(ROOT))


if __name__ == "__main__":
    main()
