"""Fuzz targets hold for their seeds, for damaged seeds, and for what fuzzing ever found."""

import importlib.util
import random
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location(
    "fuzz_targets", Path(__file__).parents[2] / "fuzz" / "targets.py"
)
assert spec is not None
assert spec.loader is not None
targets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(targets)

# Inputs that broke a target once: (target, input).
FOUND: list[tuple[str, bytes]] = [
    ("tokenizer", b"\\f" + b"_" * 52 + b"r"),  # its caption form nested deeper than could be read again
    ("tokenizer", b"{" * 60 + b"a" + b"\\over b}" * 60),
]


@pytest.mark.parametrize("name", ["readers", "tokenizer"])
def test_damaged_seeds_break_nothing(name):
    rng = random.Random(5)
    for seed in targets.SEEDS[name]:
        targets.TARGETS[name](seed)
        for _ in range(40):
            content = bytearray(seed)
            for _ in range(rng.randrange(1, 5)):
                content[rng.randrange(len(content))] = rng.randrange(256)
            targets.TARGETS[name](bytes(content))


@pytest.mark.parametrize("name", ["http", "session"])
def test_the_server_answers_seeds(name, recognizer):
    pytest.importorskip("fastapi", reason="the server needs inktex[serve]")
    pytest.importorskip("httpx", reason="the test client needs httpx")
    for seed in targets.SEEDS[name]:
        targets.TARGETS[name](seed)


def test_what_was_found_is_mended():
    for name, content in FOUND:
        targets.TARGETS[name](content)
