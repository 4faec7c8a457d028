"""How many parameters the networks of a model file have, counted from their sizes.

Exported graphs hold products of the network's matrices, so their own size tells nothing. The head that names
symbols during training is not part of a model file and not counted.
"""

from typing import Any

from inktex.reading.modelfile import ModelFile


def parameter_count(model: ModelFile) -> int:
    """Over all networks; an encoder that two decoders share is counted once."""
    return sum(
        decoder_parameters(member.config) + (0 if member.encoder_of else encoder_parameters(member.config))
        for member in model.members
    )


def encoder_parameters(config: dict[str, Any]) -> int:
    """Of all layers: inputs with a bias, gates and candidate of both directions (paper §II-B)."""
    units, layers = config["encoder_units"], config["encoder_layers"]
    inputs = [8, *[2 * units] * (layers - 1)]
    return sum((width + 1) * 6 * units + 6 * units * units for width in inputs)


def decoder_parameters(config: dict[str, Any]) -> int:
    """Of the embedding, the first state, attention with coverage, the GRU and the output (§II-C and D)."""
    tokens, depth = len(config["vocabulary"]), 2 * config["encoder_units"]
    m, n, width = config["embedding"], config["decoder_units"], config["attention"]
    window, filters = config["coverage_window"], config["coverage_filters"]
    first_state = (depth + 1) * n
    attention = (depth + 1) * width + n * width + width + (m * width if config["query_token"] else 0)
    coverage = window * filters + filters * width if window else 0
    gru = (m + 1) * 3 * n + 3 * n * n + 3 * depth * n
    output = (n + 1) * m + depth * m + (m + 1) * tokens
    return int(tokens * m + first_state + attention + coverage + gru + output)
