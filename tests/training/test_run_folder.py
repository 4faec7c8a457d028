"""The folder of a training run: what was asked, where it is, and what happened, whatever stopped the run."""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs inktex[train]")

from inktex.training.options import TrainOptions  # noqa: E402
from inktex.training.run import Position, RunFolder, State  # noqa: E402
from inktex.training.validation import Validation  # noqa: E402
from small_networks import SMALL  # noqa: E402

INFINITE = float("inf")


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run")


def tensors(value: float) -> dict[str, "torch.Tensor"]:
    return {
        "model.w": torch.full((2, 3), value),
        "model.b": torch.ones(2).bfloat16(),
        "noise": torch.tensor(7),
    }


def test_a_run_is_begun_once_and_says_what_was_asked(run: RunFolder) -> None:
    assert not run.exists
    with pytest.raises(ValueError, match=r"run: no run to resume here \(no run\.json\)"):
        run.settings()
    run.create(SMALL, TrainOptions(), {"data": ["a"]})
    assert run.exists
    assert run.settings() == (SMALL, TrainOptions(), {"data": ["a"]})
    before = (run.path / "run.json").read_bytes()
    with pytest.raises(
        ValueError, match="run: already contains a run; continue it with --resume, or name another folder"
    ):
        run.create(SMALL, TrainOptions(), {})
    assert (run.path / "run.json").read_bytes() == before
    for damage in ("{", "[]", "{}", '{"model": {}, "training": {}, "command": {}}'):
        (run.path / "run.json").write_text(damage)
        with pytest.raises(ValueError, match=r"run\.json: damaged"):
            run.settings()


def test_files_have_their_names(run: RunFolder) -> None:
    names = [run.state_file, run.previous_file, run.metrics_file, run.best_file, run.last_file]
    assert [file.relative_to(run.path).as_posix() for file in names] == [
        "state.safetensors", "state.previous.safetensors", "metrics.jsonl", "best.safetensors",
        "last.safetensors",
    ]  # fmt: skip


def test_the_newest_whole_checkpoint_is_gone_on_from(run: RunFolder) -> None:
    assert run.load_state() is None
    for step in (1, 2, 3):
        run.save_state(Position(step=step, epoch=step * 2, best_wer=0.5), tensors(step))
    assert sorted(file.name for file in run.path.iterdir()) == [
        "state.previous.safetensors",
        "state.safetensors",
    ]
    state = run.load_state()
    assert state is not None
    assert state.position == Position(step=3, epoch=6, best_wer=0.5)
    assert {name: value.dtype for name, value in state.tensors.items()} == {
        name: value.dtype for name, value in tensors(3).items()
    }
    assert all(torch.equal(state.tensors[name], value) for name, value in tensors(3).items())
    assert sorted(state.part("model")) == ["b", "w"]
    assert sorted(state.part("mod")) == []
    for damage in (b"", b"short", run.state_file.read_bytes()[:-1], bytes(300)):
        run.state_file.write_bytes(damage)
        state = run.load_state()
        assert state is not None
        assert state.position.step == 2
    run.state_file.unlink()
    state = run.load_state()
    assert state is not None
    assert state.position.step == 2
    run.previous_file.write_bytes(b"short")
    run.state_file.write_bytes(b"short as well")
    with pytest.raises(ValueError, match="no checkpoint can be read: ") as caught:
        run.load_state()
    assert str(run.state_file) in str(caught.value)
    assert str(run.previous_file) in str(caught.value)


@pytest.mark.parametrize("position", ['{"step": 1, "moon": 2}', "[]", "{", None])
def test_a_checkpoint_without_a_position_is_not_used(run: RunFolder, position: str | None) -> None:
    from safetensors.torch import save

    run.path.mkdir()
    run.state_file.write_bytes(
        save(tensors(1), metadata=None if position is None else {"position": position})
    )
    with pytest.raises(ValueError, match="no checkpoint can be read"):
        run.load_state()


def test_a_position_that_was_altered_is_noticed(run: RunFolder) -> None:
    run.path.mkdir()
    run.save_state(Position(step=1000), tensors(1))
    content = run.state_file.read_bytes()
    assert content.count(b"1000") == 1
    run.state_file.write_bytes(content.replace(b"1000", b"9000"))
    with pytest.raises(ValueError, match="SHA-256 differs"):
        run.load_state()


def test_parts_of_a_state_are_told_by_their_whole_prefix() -> None:
    state = State(
        Position(), {"a.x": torch.ones(1), "a.b.x": torch.zeros(1), "ab.x": torch.ones(1), "a": torch.ones(1)}
    )
    assert list(state.part("a")) == ["x", "b.x"]
    assert list(state.part("a.b")) == ["x"]


def test_metrics_are_whole_lines_and_can_be_rewound(run: RunFolder) -> None:
    assert run.metrics() == []
    run.path.mkdir()
    rows = [{"step": step, "loss": step / 2} for step in (100, 200, 300)]
    for row in rows:
        run.append_metrics(row)
    assert run.metrics() == rows
    with run.metrics_file.open("a") as file:
        file.write('{"step": 400, "lo')  # killed while it was written
    assert run.metrics() == rows
    with run.metrics_file.open("a") as file:
        file.write("\n" + json.dumps(rows[0]) + "\n")  # and gone on with
    assert run.metrics() == [*rows, rows[0]]
    run.metrics_file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run.rewind_metrics(200)
    assert run.metrics() == rows[:2]
    assert run.metrics_file.read_text() == "".join(json.dumps(row) + "\n" for row in rows[:2])


def score(wer: float, exprate: float = 0.25) -> Validation:
    made = Validation.__new__(Validation)
    object.__setattr__(made, "wer", wer)
    object.__setattr__(made, "exprate", exprate)
    return made


def test_the_best_of_a_run_and_of_a_stage_are_counted_apart() -> None:
    position = Position()
    assert (position.best_wer, position.last_wer, position.stage_best_wer) == (INFINITE, INFINITE, INFINITE)
    assert position.record(score(0.5, 0.25))
    assert (position.best_wer, position.best_exprate, position.last_wer, position.since_best) == (
        0.5,
        0.25,
        0.5,
        0,
    )
    assert not position.record(score(0.75, 0.5))
    assert not position.record(score(0.5, 0.5))  # as good is not better
    assert (position.best_wer, position.best_exprate, position.last_wer, position.since_best) == (
        0.5,
        0.25,
        0.5,
        2,
    )
    position.epoch = 9
    position.begin_stage(2)
    assert (position.stage, position.stage_start, position.since_best) == (2, 9, 0)
    assert not position.record(score(0.625))  # the best of its stage, not of the run
    assert (position.stage_best_wer, position.best_wer, position.since_best) == (0.625, 0.5, 0)
    assert not position.record(score(0.6875))
    assert (position.stage_best_wer, position.since_best) == (0.625, 1)
    assert position.record(score(0.25, 0.5))
    assert (position.best_wer, position.best_exprate, position.stage_best_wer, position.since_best) == (
        0.25, 0.5, 0.25, 0,
    )  # fmt: skip


def test_a_position_begins_at_the_beginning() -> None:
    position = Position()
    assert (position.epoch, position.batch, position.step, position.stage, position.stage_start) == (
        0,
        0,
        0,
        1,
        0,
    )
    assert (position.cpu_seconds, position.best_exprate, position.since_best) == (0.0, 0.0, 0)
    assert position.finished is False
