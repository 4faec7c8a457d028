"""The paper's recipe learns to read: the right tokens, with the attention on the ink of each.

Small sizes, and three symbols of four kinds in every ink, so that it takes seconds; loss, optimiser, clipping
and coverage are those of `paper-p2`. With 32 inks alone a small network learns them by heart from the mean of
the ink and looks at nothing. Among 512 it cannot, so it has to find the ink of each symbol.
"""

from dataclasses import replace
from random import Random

import pytest
import torch

from inktex.corpus import Synthesizer
from inktex.corpus.hershey import hershey_bank
from inktex.latex import Vocabulary
from inktex.model import Network
from inktex.model.fast import accelerate
from inktex.training import recipe
from inktex.training.data import Batch, Piece, TrainingData
from inktex.training.losses import Counts, losses
from inktex.training.optimizing import make_optimizer

KINDS = ("1", "x", "+", "o")
STEPS = 2500  # at most; about 800 are needed


def attention_and_answers(network: Network, batch: Batch) -> tuple[float, float]:
    """Share of the attention that lies on the strokes of the token written, and of inks read right."""
    with torch.no_grad():
        [(scores, attention)], _ = network(batch.features, batch.lengths, batch.previous)
    guided = batch.guide.any(-1)
    mass = (attention * batch.guide).sum(-1)[guided].mean()
    right = ((scores.argmax(-1) == batch.target) | (batch.target < 0)).all(1)
    return float(mass), float(right.float().mean())


@pytest.mark.timeout(900)  # seconds of work, for which a busy machine may take long
def test_the_papers_recipe_learns_short_inks_with_its_attention_on_the_ink() -> None:
    random, hand = Random(1), Synthesizer(hershey_bank(writers=1, repeats=1))
    examples = [hand.write(tuple(random.choices(KINDS, k=3)), f"ink {number}") for number in range(512)]
    papers = recipe("paper-p2")
    model = replace(
        papers.model,
        features=replace(papers.model.features, spacing=0.3),
        vocabulary=tuple(Vocabulary.build(example.tokens for example in examples).tokens),
        encoder_layers=2,
        pool_after=(1, 2),
        encoder_units=48,
        embedding=24,
        decoder_units=24,
        attention=48,
        coverage_filters=8,
        coverage_window=7,
    )
    options = replace(papers.training, precision="float32")
    data = TrainingData(examples, model, options)
    thirty_two = data.plain_batch([Piece.of(example) for example in data.examples[:32]])
    torch.manual_seed(1)
    network = accelerate(Network(model))
    optimizer = make_optimizer(network, options)
    untrained, _ = attention_and_answers(network, thirty_two)
    assert untrained < 0.5  # about the share of the ink that a symbol has

    batches = (data.plain_batch(pieces) for epoch in range(40) for pieces in data.plan(epoch))
    mass = right = 0.0
    for step, batch in zip(range(STEPS), batches, strict=False):
        loss = losses(network, model.direction, batch, options.label_smoothing).token
        optimizer.zero_grad(set_to_none=True)
        (loss / Counts.of(batch, 1).of_tokens(options.loss_per)).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), options.clip)
        optimizer.step()
        if step % 50 == 49:
            mass, right = attention_and_answers(network, thirty_two)
            if mass > 0.8 and right == 1.0:
                break
    assert right == 1.0, f"{right:.0%} of the 32 inks are read right after {step + 1} steps"
    assert mass > 0.8, f"{mass:.0%} of the attention lies on the ink of the token"
