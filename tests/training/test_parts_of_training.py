"""Every part of a recipe does what its name says: break one, and a test here fails within seconds."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_runs import PLAIN, data_of, small_model, small_recipe, written

from inktex.augment import AugmentOptions
from inktex.decoding import Hypothesis
from inktex.model import Network, load_network
from inktex.training import Launch, Recipe, TrainOptions, begin, recipe, resume
from inktex.training import loop as training_loop
from inktex.training import validation as validating
from inktex.training.losses import Counts, averaged_copy, losses
from inktex.training.noise import WeightNoise, noisy_weights
from inktex.training.optimizing import guidance_weight, learning_rate, make_optimizer, update_average
from inktex.training.run import Position, RunFolder
from inktex.training.validation import Validation, ValidationSet
from inktex.training.workers import Workers


def test_the_rate_warms_up_stays_and_falls_to_zero() -> None:
    options = TrainOptions(learning_rate=2.0, warmup=10, decay_from=0.5)
    assert learning_rate(options, 0, 0.0) == pytest.approx(0.2)
    assert learning_rate(options, 9, 0.1) == pytest.approx(2.0)
    assert learning_rate(options, 500, 0.5) == pytest.approx(2.0)
    assert learning_rate(options, 700, 0.75) == pytest.approx(1.0)
    assert learning_rate(options, 1000, 1.0) == pytest.approx(0.0, abs=1e-9)


def test_the_papers_rate_never_falls() -> None:
    assert learning_rate(recipe("paper-p2").training, 100_000, 1.0) == 1.0


def test_guidance_fades_out() -> None:
    options = TrainOptions(guidance=0.3, guidance_until=0.6)
    assert guidance_weight(options, 0.0) == pytest.approx(0.3)
    assert guidance_weight(options, 0.3) == pytest.approx(0.15)
    assert guidance_weight(options, 0.6) == guidance_weight(options, 1.0) == 0.0


def test_averaged_weights_follow_slowly() -> None:
    examples = written(8)
    network = Network(small_model(examples))
    average = averaged_copy(network)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(1.0)
    before = [value.clone() for value in average.parameters()]
    update_average(average, network, decay=0.999, step=1_000_000)
    for was, now in zip(before, average.parameters(), strict=True):
        torch.testing.assert_close(now, was + 0.001, atol=1e-5, rtol=0)


def test_weight_noise_is_there_during_a_step_and_gone_after_it() -> None:
    network = Network(small_model(written(8)))
    before = {name: value.clone() for name, value in network.state_dict().items()}
    with noisy_weights(network, 0.05, (1, 7)):
        away = torch.cat([(p - before[n]).flatten() for n, p in network.named_parameters()])
        assert away.std().item() == pytest.approx(0.05, rel=0.05)
        assert abs(away.mean().item()) < 0.002
    for name, value in network.state_dict().items():
        assert torch.equal(value, before[name])
    with noisy_weights(network, 0.05, (1, 8)):
        other = torch.cat([(p - before[n]).flatten() for n, p in network.named_parameters()])
    assert not torch.equal(away, other), "every step has noise of its own"


def test_adaptive_noise_spares_the_weights_that_matter_and_grows() -> None:
    options = paper_options(weight_noise=0.03, noise_cost=0.1, noise_growth=1e-3)
    network = torch.nn.Linear(2, 1, bias=False)
    optimizer, noise = make_optimizer(network, options), WeightNoise(options, expressions=1000)
    assert noise.deviations(network, optimizer) == 0.0  # no gradient was seen yet
    network.weight.grad = torch.tensor([[0.0, 0.5]])
    optimizer.step()
    [deviations] = noise.deviations(network, optimizer)  # type: ignore[misc]
    free, held = deviations[0].tolist()
    assert free == pytest.approx(0.03)
    assert held == pytest.approx((1 / 0.03**2 + 1000 * 0.5**2 / 0.1) ** -0.5, rel=1e-4)  # Graves's optimum
    [later] = noise.deviations(network, optimizer)  # type: ignore[misc]
    assert later[0, 0] > free, "the prior's variance moves towards that of the weights and their noise"


def test_weights_are_charged_for_what_they_cost_to_describe() -> None:
    network = torch.nn.Linear(2, 1, bias=False)
    network.weight.grad = torch.zeros(1, 2)
    WeightNoise(paper_options(weight_noise=0.1, noise_cost=0.0), 50).charge(network)
    assert not network.weight.grad.any()
    options = paper_options(weight_noise=0.1, noise_cost=0.2, loss_per="expression")
    WeightNoise(options, expressions=50).charge(network)
    torch.testing.assert_close(network.weight.grad, network.weight.detach() * 0.2 / (50 * 0.1**2))


def test_adaptive_noise_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="noise_cost needs optimizer = 'adadelta' and loss_per = 'expres"):
        WeightNoise(paper_options(noise_cost=0.1, loss_per="token"), 10)


def paper_options(**changes: object) -> TrainOptions:
    base = replace(recipe("paper-p2").training, precision="float32", checkpoint_minutes=100.0)
    base = replace(base, noise_epochs=0, noise_cost=0.0)
    return replace(base, **changes)  # type: ignore[arg-type]


def test_the_noise_stage_starts_from_the_best_weights_with_epochs_and_patience_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A first stage that used up all its epochs and got worse after its second; then a stage that gets better.
    wers = iter([50.0, 40.0, 45.0, 48.0, 39.0, 38.0, 41.0, 42.0, 30.0])
    noises: list[tuple[int, float]] = []
    begun: list[dict[str, torch.Tensor]] = []

    def score(self: ValidationSet, network: Network, workers: Workers) -> Validation:
        return Validation(next(wers), 0.0, 1.0)

    def noisy(network: Network, deviation: float, seed: tuple[int, int]) -> Any:
        if deviation and not any(d for _, d in noises):
            begun.append({name: value.clone() for name, value in network.state_dict().items()})
            begun.append(load_network(tmp_path / "run" / "best.safetensors").state_dict())
        noises.append((seed[1], deviation))
        return noisy_weights(network, deviation, seed)

    monkeypatch.setattr(ValidationSet, "score", score)
    monkeypatch.setattr(training_loop, "noisy_weights", noisy)
    examples = written(16)
    options = paper_options(epochs=4, patience=2, batch=8)
    end = begin(Recipe(small_recipe().model, options), Launch(tmp_path / "run"), (examples, examples[:8]))
    assert (end.stage, end.stage_start, end.epoch) == (2, 4, 8)  # 39, 38, then two without a better one
    assert (end.best_wer, end.stage_best_wer) == (38.0, 38.0)
    per_epoch = len(noises) // 8
    assert [deviation for _, deviation in noises] == [0.0] * 4 * per_epoch + [
        options.weight_noise
    ] * 4 * per_epoch
    now, best = begun
    assert all(torch.equal(now[name], best[name]) for name in best)


def test_a_run_can_begin_with_the_noise_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noises: list[float] = []

    def noisy(network: Network, deviation: float, seed: tuple[int, int]) -> Any:
        noises.append(deviation)
        return noisy_weights(network, deviation, seed)

    monkeypatch.setattr(training_loop, "noisy_weights", noisy)
    examples = written(8)
    options = paper_options(epochs=2, patience=0, noise_at_once=True)
    end = begin(Recipe(small_recipe().model, options), Launch(tmp_path / "run"), (examples, examples[:4]))
    assert (end.stage, end.epoch) == (2, 2)
    assert set(noises) == {options.weight_noise}


def test_the_noise_stage_may_have_another_number_of_epochs(tmp_path: Path) -> None:
    examples = written(8)
    options = paper_options(epochs=1, noise_epochs=3, patience=0)
    end = begin(Recipe(small_recipe().model, options), Launch(tmp_path / "run"), (examples, examples[:4]))
    assert (end.stage, end.stage_start, end.epoch) == (2, 1, 4)


def test_adaptive_noise_goes_on_where_a_checkpoint_left_it(tmp_path: Path) -> None:
    examples = written(8)
    changes = {"noise_cost": 0.1, "noise_growth": 1e-3, "noise_at_once": True, "patience": 0, "batch": 2}
    small = small_recipe().model
    straight = Recipe(small, paper_options(epochs=4, anneal=False, **changes))
    begin(straight, Launch(tmp_path / "straight"), (examples, examples[:4]))
    begin(
        Recipe(small, paper_options(epochs=2, anneal=False, **changes)),
        Launch(tmp_path / "halted"),
        (examples, examples[:4]),
    )
    halted = RunFolder(tmp_path / "halted")
    state = halted.load_state()
    assert state is not None
    assert float(state.tensors["noise.prior"]) != pytest.approx(straight.training.weight_noise**2)
    halted.save_state(replace(state.position, finished=False), state.tensors)
    content = (halted.path / "run.json").read_text().replace('"epochs": 2', '"epochs": 4')
    (halted.path / "run.json").write_text(content)
    resume(Launch(halted.path), (examples, examples[:4]))
    one, other = (load_network(tmp_path / name / "last.safetensors") for name in ("straight", "halted"))
    for value, same in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(value, same)


def test_steps_shrink_to_zero_in_the_noise_stage_and_only_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: list[float] = []

    def noted(optimizer: torch.optim.Optimizer, rate: float) -> None:
        rates.append(rate)

    monkeypatch.setattr(training_loop, "set_learning_rate", noted)
    examples = written(16)
    options = paper_options(epochs=2, patience=0, batch=4)
    assert options.anneal
    begin(Recipe(small_recipe().model, options), Launch(tmp_path / "run"), (examples, examples[:4]))
    first, second = rates[: len(rates) // 2], rates[len(rates) // 2 :]
    assert set(first) == {1.0}
    assert second == sorted(second, reverse=True)
    assert (second[0], second[-1] < 0.1) == (1.0, True)


def test_early_stopping_counts_from_the_best_of_the_stage() -> None:
    position = Position()
    assert position.record(Validation(20.0, 40.0, 1.0))
    assert not position.record(Validation(21.0, 45.0, 1.0))
    assert (position.since_best, position.best_wer, position.best_exprate) == (1, 20.0, 40.0)
    position.begin_stage(2)
    assert not position.record(Validation(22.0, 39.0, 1.0)), (
        "the first of a stage need not be the best of the run"
    )
    assert (position.since_best, position.stage_best_wer, position.best_wer) == (0, 22.0, 20.0)


def test_gradients_are_clipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    norms: list[float] = []
    step = torch.optim.AdamW.step

    def watched(self: torch.optim.AdamW, *args: Any) -> Any:
        gradients = [
            p.grad.norm() for group in self.param_groups for p in group["params"] if p.grad is not None
        ]
        norms.append(float(torch.stack(gradients).norm()))
        return step(self, *args)

    monkeypatch.setattr(torch.optim.AdamW, "step", watched)
    examples = written(16)
    begin(
        Recipe(small_recipe().model, replace(PLAIN, epochs=1, clip=0.01)),
        Launch(tmp_path / "r"),
        (examples, []),
    )
    assert norms == pytest.approx([0.01] * len(norms), rel=1e-3)


def test_label_smoothing_is_that_of_the_definition() -> None:
    examples = written(8)
    data, network = data_of(examples), Network(small_model(examples)).eval()
    [pieces] = data.plan(0)
    batch = data.plain_batch(pieces)
    plain, smooth = (losses(network, "forward", batch, share).token for share in (0.0, 0.1))
    [(scores, _)], _ = network(batch.features, batch.lengths, batch.previous)
    spread = -torch.log_softmax(scores, -1).mean(-1)[batch.target != -100].sum()
    torch.testing.assert_close(smooth, 0.9 * plain + 0.1 * spread, rtol=1e-4, atol=1e-3)


def test_loss_per_expression_is_the_sum_over_its_tokens() -> None:
    examples = written(8)
    data = data_of(examples)
    batch = data.plain_batch(data.plan(0)[0])
    counts = Counts.of(batch, decoders=1)
    assert counts.of_tokens("expression") == 8
    assert counts.of_tokens("token") == sum(len(example.tokens) + 1 for example in examples)


def test_groups_are_exchanged_between_expressions() -> None:
    examples = written(200)
    same = {example.tokens for example in examples}
    planned = data_of(examples, replace(PLAIN, swap_groups=1.0)).plan(3)
    fresh = [piece for pieces in planned for piece in pieces if piece.tokens not in same]
    assert len(fresh) > 5


def test_symbols_are_redrawn_by_other_writers() -> None:
    examples = written(60)
    data = data_of(examples, replace(PLAIN, swap_symbols=1.0))
    drawn = {np.concatenate(example.ink.strokes).tobytes() for example in data.examples}
    planned = [piece for pieces in data.plan(3) for piece in pieces]
    fresh = [piece for piece in planned if np.concatenate(piece.strokes).tobytes() not in drawn]
    assert 10 < len(fresh) < 55  # half of the expressions


def test_parts_of_expressions_are_added_lone_symbols_only_when_asked() -> None:
    examples = written(200)
    for shortest, lone in ((2, False), (1, True)):
        data = data_of(examples, replace(PLAIN, parts=1.0, shortest_part=shortest))
        planned = [piece for pieces in data.plan(3) for piece in pieces]
        assert len(planned) > 250
        whole = sum(len(example.tokens) == 1 for example in examples)
        assert (sum(len(piece.tokens) == 1 for piece in planned) > whole) == lone


def test_ink_is_augmented_anew_in_every_epoch() -> None:
    examples = written(8)
    data = data_of(examples, replace(PLAIN, augment=AugmentOptions()))
    [pieces] = data.plan(0)
    plain = data.plain_batch(pieces)
    epochs = [data.batch(pieces, epoch, 0) for epoch in range(2)]
    for batch in epochs:
        same = batch.features.shape == plain.features.shape and torch.equal(batch.features, plain.features)
        assert not same
        assert torch.equal(batch.target, plain.target)
    shapes = [batch.features.shape for batch in epochs]
    assert shapes[0] != shapes[1] or not torch.equal(epochs[0].features, epochs[1].features)


def answering(answers: Sequence[tuple[str, ...]]) -> Any:
    """A search that gives these answers whatever it is asked."""

    def greedy(stepper: Any, features: Sequence[Any], options: Any) -> list[Hypothesis]:
        empty = np.zeros(0, np.float32)
        return [
            Hypothesis(tuple(stepper.vocabulary.encode(tokens)), 0.0, 0.0, empty, empty[None])
            for tokens in answers
        ]

    return greedy


def test_validation_counts_edits_and_whole_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = sorted(written(6), key=lambda example: len(example.tokens))
    data, config = data_of(examples), small_model(examples)
    checked = ValidationSet(examples, data)
    truths = [example.tokens for example, _ in checked._items]
    right = sum(len(tokens) for tokens in truths)
    missing = [truths[0][:-1], truths[1] + ("=",), *truths[2:]]  # two expressions with one edit each
    monkeypatch.setattr(validating, "greedy", answering(missing))
    score = checked.score(Network(config).eval(), Workers())
    assert score.exprate == pytest.approx(100.0 * 4 / 6)
    assert score.wer == pytest.approx(100.0 * 2 / right)


def test_a_backward_network_is_validated_in_reading_order(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = written(6)
    data, config = data_of(examples), replace(small_model(examples), direction="backward")
    checked = ValidationSet(examples, data)
    truths = [example.tokens for example, _ in checked._items]
    monkeypatch.setattr(validating, "greedy", answering([tokens[::-1] for tokens in truths]))
    assert checked.score(Network(config).eval(), Workers()).exprate == 100.0


def test_validation_loss_is_the_teacher_forced_one_per_token() -> None:
    examples = written(6)
    data, network = data_of(examples), Network(small_model(examples)).eval()
    score = ValidationSet(examples, data).score(network, Workers())
    batch = data.plain_batch([piece for pieces in data.plan(0) for piece in pieces])
    total = float(losses(network, "forward", batch, 0.0).token)
    assert score.loss == pytest.approx(total / Counts.of(batch, 1).tokens, rel=1e-4)


def test_a_batch_written_backwards_ends_with_the_end_mark() -> None:
    examples = written(8)
    data = data_of(examples)
    batch = data.plain_batch(data.plan(0)[0])
    turned = batch.backward()
    for row in range(8):
        tokens = batch.target[row][batch.target[row] > 0].tolist()
        assert turned.target[row][turned.target[row] >= 0].tolist() == [*tokens[::-1], 0]
        assert turned.previous[row][: len(tokens) + 1].tolist() == [0, *tokens[::-1]]
        assert torch.equal(turned.guide[row, : len(tokens)], batch.guide[row, : len(tokens)].flip(0))
    again = turned.backward()
    assert torch.equal(again.target, batch.target)
    assert torch.equal(again.guide, batch.guide)


def test_two_decoders_share_an_encoder_and_learn_both_directions(tmp_path: Path) -> None:
    examples = written(16)
    model = replace(small_recipe().model, direction="both")
    options = replace(PLAIN, epochs=1)
    begin(Recipe(model, options), Launch(tmp_path / "run"), (examples, examples[:4]))
    network = load_network(RunFolder(tmp_path / "run").last_file)
    assert len(network.decoders) == 2
    torch.manual_seed(1)
    fresh = Network(network.config).state_dict()
    moved = {
        name.split(".")[0]
        for name, value in network.state_dict().items()
        if not torch.equal(value, fresh[name])
    }
    assert {"encoder", "decoder", "backward_decoder"} <= moved
    data = data_of(examples)
    batch = data.plain_batch(data.plan(0)[0])
    both = losses(network, "both", batch, 0.0)
    assert Counts.of(batch, 2).tokens == 2 * Counts.of(batch, 1).tokens
    assert math.isfinite(float(both.token))


def test_adamw_does_not_decay_vectors() -> None:
    optimizer = make_optimizer(Network(small_model(written(8))), TrainOptions(weight_decay=0.1))
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            assert (group["weight_decay"] > 0) == (parameter.ndim > 1)


def test_a_run_whose_gradients_are_no_numbers_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda *_: torch.tensor(math.nan))
    examples = written(8)
    options = replace(PLAIN, epochs=30, batch=8)
    with pytest.raises(ValueError, match="20 steps in a row, so the run has diverged"):
        begin(Recipe(small_recipe().model, options), Launch(tmp_path / "run"), (examples, []))
