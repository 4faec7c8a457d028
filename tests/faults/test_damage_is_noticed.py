"""Damaged files are noticed before they are used: checkpoints, corpus caches and the compiled library."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from inktex.corpus.cache import ContainerError, open_container, write_container


def test_every_flipped_byte_of_a_cache_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    points = np.arange(600.0).reshape(-1, 2)
    write_container(path, {"format": 1, "names": ["a", "b"]}, [points[:100], points[100:]])
    good = path.read_bytes()
    header, found = open_container(path)
    assert header["names"] == ["a", "b"]
    assert found.tolist() == points.tolist()
    rng = random.Random(1)
    for place in rng.sample(range(len(good)), 400):
        damaged = bytearray(good)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(ContainerError):
            open_container(path)
    for length in (0, 1, 32, len(good) - 100, len(good) - 1):
        path.write_bytes(good[:length])
        with pytest.raises(ContainerError, match="cut off"):
            open_container(path)


def test_a_damaged_checkpoint_is_not_trained_on(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="training needs inktex[train]")
    from safetensors.torch import save

    from inktex.training.run import Position, RunFolder

    folder = RunFolder(tmp_path)
    for step in (1, 2):
        tensors = {"model.w": torch.full((4, 8), float(step)), "half": torch.ones(3, dtype=torch.bfloat16)}
        folder.save_state(Position(step=step), {**tensors, "n": torch.tensor(step)})
    state = folder.load_state()
    assert state is not None
    assert state.position.step == 2
    content = folder.state_file.read_bytes()
    folder.state_file.write_bytes(content[:-128] + bytes(128))  # its numbers are zeros
    state = folder.load_state()
    assert state is not None
    assert state.position.step == 1  # the one before
    folder.previous_file.unlink()
    with pytest.raises(ValueError, match="SHA-256 differs"):
        folder.load_state()
    folder.state_file.write_bytes(save({"model.w": torch.zeros(2)}, metadata={"position": '{"step": 7}'}))
    state = folder.load_state()  # of an earlier version, without a checksum
    assert state is not None
    assert state.position.step == 7


def test_damaged_weights_of_a_run_are_not_used(tmp_path: Path) -> None:
    """`best.safetensors` and `last.safetensors`: what evaluation, export and the second stage begin from."""
    pytest.importorskip("torch", reason="training needs inktex[train]")
    from safetensors.torch import load_file, save_file

    from inktex.model import load_network, save_network
    from small_networks import random_network

    path = tmp_path / "best.safetensors"
    save_network(random_network(), path)
    load_network(path)
    good = path.read_bytes()
    rng = random.Random(0)
    for place in [8, len(good) - 1, *rng.sample(range(len(good)), 60)]:
        damaged = bytearray(good)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(
            ValueError, match=r"best\.safetensors: (damaged|cannot be read|holds weights|its)"
        ):
            load_network(path)
    path.write_bytes(good[:-4000] + bytes(4000))
    with pytest.raises(ValueError, match="SHA-256 differs"):
        load_network(path)
    path.write_bytes(good)
    tensors = load_file(path)
    config = json.dumps(random_network().config.to_json())
    save_file(tensors, path, metadata={"config": config})  # as earlier versions wrote it
    load_network(path)
    for nonsense in (
        "[]",
        "{",
        '{"vocabulary": 5}',
        config.replace('"encoder_units": 24', '"encoder_units": 32'),
    ):
        save_file(tensors, path, metadata={"config": nonsense})
        with pytest.raises(ValueError, match="its config and its weights do not fit") as caught:
            load_network(path)
        assert len(str(caught.value)) < 400


def test_a_compiled_library_is_used_only_if_it_is_whole_and_ours(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs inktex[train]")
    from inktex.files import write_atomically
    from inktex.model.fast import native

    library = tmp_path / "native-x.so"
    assert not native._whole(library)
    library.write_bytes(b"code" * 100)
    assert not native._whole(library)  # nothing says what it should be
    write_atomically(native._digest_file(library), native.hashlib.sha256(b"code" * 100).hexdigest())
    assert native._whole(library)
    library.write_bytes(b"code" * 50)
    assert not native._whole(library)
    tmp_path.chmod(0o700)
    assert native._ours(tmp_path)
    for mode in (0o770, 0o707, 0o777):
        tmp_path.chmod(mode)
        assert not native._ours(tmp_path)
    tmp_path.chmod(0o700)
