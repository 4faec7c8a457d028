"""Training learns, repeats itself exactly, survives a kill, and does the same with two workers as one."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from small_runs import small_recipe, written

from inktex.corpus import Example
from inktex.corpus.free import FreeInk, free_vocabulary
from inktex.corpus.free_hand import Drawings
from inktex.corpus.hershey import hershey_bank
from inktex.latex import Vocabulary
from inktex.model import ModelConfig, load_network
from inktex.training import Launch, Recipe, TrainOptions, begin, start
from inktex.training.data import IGNORED, TrainingData
from inktex.training.run import RunFolder


def test_thirty_two_expressions_are_learned_by_heart(tmp_path: Path) -> None:
    examples = written(32)
    model = replace(
        ModelConfig(),
        encoder_units=64,
        encoder_layers=2,
        pool_after=(1,),
        embedding=64,
        decoder_units=64,
        attention=64,
        coverage_filters=8,
        encoder_dropout=0.0,
        decoder_dropout=0.0,
    )
    options = TrainOptions(
        epochs=60,
        batch=8,
        learning_rate=4e-3,
        warmup=10,
        curriculum=(),
        label_smoothing=0.0,
        average=0.9,
        augment=None,
        swap_symbols=0.0,
        swap_groups=0.0,
        parts=0.0,
        validate_every=20,
        precision="float32",
    )
    end = begin(Recipe(model, options), Launch(tmp_path / "run"), (examples, examples))
    assert end.best_exprate == 100.0
    assert end.best_wer == 0.0


def test_same_seed_same_run(tmp_path: Path) -> None:
    examples = written(24)
    runs = []
    for name in ("a", "b"):
        begin(small_recipe(), Launch(tmp_path / name), (examples, examples[:8]))
        runs.append((tmp_path / name / "last.safetensors").read_bytes())
    assert runs[0] == runs[1]


def test_padding_stays_small_on_both_sides() -> None:
    examples = written(400)
    config = small_recipe().model
    vocabulary = Vocabulary.build(example.tokens for example in examples)
    data = TrainingData(examples, replace(config, vocabulary=vocabulary.tokens), TrainOptions())
    batches = [data.plain_batch(pieces) for pieces in data.plan(epoch=5)]
    points = sum(int(batch.lengths.sum()) for batch in batches)
    assert points > 0.85 * sum(batch.features.shape[:2].numel() for batch in batches)
    tokens = sum(int((batch.target != IGNORED).sum()) for batch in batches)
    assert tokens > 0.85 * sum(batch.target.numel() for batch in batches)


def test_short_expressions_come_first() -> None:
    examples = written(100)
    vocabulary = Vocabulary.build(example.tokens for example in examples)
    options = TrainOptions(curriculum=(4, 8), parts=0.0, swap_groups=0.0)
    data = TrainingData(examples, replace(small_recipe().model, vocabulary=vocabulary.tokens), options)
    longest = [
        max(len(piece.tokens) for pieces in data.plan(epoch) for piece in pieces) for epoch in range(3)
    ]
    assert longest[0] <= 4 < longest[1] <= 8 < longest[2]


def test_an_unknown_token_in_the_training_data_is_an_error_at_once() -> None:
    examples = written(8)
    config = small_recipe().model
    with pytest.raises(ValueError, match="token"):
        TrainingData(examples, replace(config, vocabulary=("<eol>", "@")), TrainOptions())


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
from inktex.training import resume
from test_training_loop import *
import torch
torch.set_num_threads(1)
examples = written(40)
launch = Launch(Path(sys.argv[1]))
if sys.argv[2] == "resume":
    resume(launch, (examples, examples[:8]))
else:
    begin(small_recipe(epochs=2, batch=4), launch, (examples, examples[:8]))
"""


def run_script(folder: Path, mode: str, wait: bool = True) -> "subprocess.Popen[bytes]":
    script = SCRIPT.format(here=str(Path(__file__).parent))
    process = subprocess.Popen([sys.executable, "-c", script, str(folder), mode], stderr=subprocess.PIPE)
    if wait:
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors.decode()
    return process


def test_a_killed_run_resumes_exactly(tmp_path: Path) -> None:
    run_script(tmp_path / "whole", "begin")
    process = run_script(tmp_path / "killed", "begin", wait=False)
    state = tmp_path / "killed" / "state.previous.safetensors"
    until = time.monotonic() + 120
    while not state.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "killed" / "last.safetensors").exists(), "the run ended before it was killed"
    run_script(tmp_path / "killed", "resume")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert (whole / "last.safetensors").read_bytes() == (killed / "last.safetensors").read_bytes()
    scores = [
        [(row["step"], row["wer"]) for row in RunFolder(folder).metrics() if row["kind"] == "validation"]
        for folder in (whole, killed)
    ]
    assert scores[0] == scores[1]


def test_a_torn_checkpoint_falls_back_to_the_one_before(tmp_path: Path) -> None:
    examples = written(24)
    begin(small_recipe(), Launch(tmp_path / "run"), (examples, examples[:8]))
    folder = RunFolder(tmp_path / "run")
    folder.state_file.write_bytes(folder.state_file.read_bytes()[:5000])
    state = folder.load_state()
    assert state is not None
    assert state.position.step > 0
    folder.previous_file.write_bytes(b"")
    with pytest.raises(ValueError, match="no checkpoint can be read"):
        folder.load_state()


def test_a_full_disk_leaves_the_checkpoint_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = written(8)
    begin(small_recipe(epochs=1), Launch(tmp_path / "run"), (examples, []))
    folder = RunFolder(tmp_path / "run")
    before = folder.state_file.read_bytes()
    state = folder.load_state()
    assert state is not None

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        folder.save_state(state.position, state.tensors)
    assert folder.state_file.read_bytes() == before
    assert not list(folder.path.glob(".*.tmp"))


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    examples = written(8)
    begin(small_recipe(epochs=1), Launch(tmp_path / "run"), (examples, []))
    with pytest.raises(ValueError, match="--resume"):
        begin(small_recipe(epochs=1), Launch(tmp_path / "run"), (examples, []))


def test_two_workers_learn_what_one_does(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        SCRIPT.format(here=str(Path(__file__).parent)).replace(
            "small_recipe(epochs=2, batch=4)",
            "two_worker_recipe()",
        )
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    for workers in (1, 2):
        command = [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--local-addr=127.0.0.1",  # else they meet at the machine's name, if that can be resolved
            f"--nproc-per-node={workers}",
        ]
        done = subprocess.run(
            [*command, str(script), str(tmp_path / str(workers)), "begin"],
            check=False,
            env=environment,
            timeout=280,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-20_000:]  # a worker's words come before the launcher's
    curves = []
    for workers in (1, 2):
        rows = RunFolder(tmp_path / str(workers)).metrics()
        curves.append([row["loss"] for row in rows if row["kind"] == "train"])
    assert len(curves[0]) == len(curves[1]) > 0
    assert curves[1] == pytest.approx(curves[0], rel=1e-3)


def two_worker_recipe() -> Recipe:
    """No dropout, since workers draw different masks; no parts, so that every batch can be shared."""
    base = small_recipe(epochs=2, batch=4, log_every=5, parts=0.0)
    return replace(base, model=replace(base.model, encoder_dropout=0.0, decoder_dropout=0.0))


def test_metrics_are_lines_of_json(tmp_path: Path) -> None:
    examples = written(16)
    begin(small_recipe(log_every=1), Launch(tmp_path / "run"), (examples, examples[:4]))
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert {row["kind"] for row in rows} == {"train", "validation"}
    assert all({"step", "epoch", "cpu_seconds"} <= row.keys() for row in rows)
    assert list((tmp_path / "run" / "events").glob("events.*"))


def test_a_run_on_free_ink_opens_no_training_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = hershey_bank(writers=2, repeats=1)
    opened = []

    def load(split: str, data: Path | None = None) -> list[Example]:
        opened.append(split)
        raise FileNotFoundError(split)

    class Few(FreeInk):
        def __init__(self, drawings: Drawings, seed: int) -> None:
            super().__init__(drawings, count=16, seed=seed)
            self.grammar = OneFormula()

    monkeypatch.setattr(start, "load_split", load)
    monkeypatch.setattr(start, "free_drawings", lambda _: Drawings([(bank, 1.0)]))
    monkeypatch.setattr(start, "FreeInk", Few)
    monkeypatch.setattr(start, "FREE_VALIDATION", 8)
    position = begin(
        small_recipe(epochs=1, ink="free", parts=0.0, swap_groups=0.0, swap_symbols=0.0), Launch(tmp_path)
    )
    assert position.step == 2
    assert opened == ["test2013"]
    assert load_network(tmp_path / "last.safetensors").config.vocabulary == tuple(free_vocabulary().tokens)


class OneFormula:
    """A grammar of one formula."""

    def sample(self, random: object) -> tuple[str, ...]:
        """Draw it."""
        return ("x", "+", "1")
