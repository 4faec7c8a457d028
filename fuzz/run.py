"""Coverage-guided fuzzing with atheris, for a bounded time: python fuzz/run.py readers --seconds 60

What breaks a target is kept in fuzz/found/; it then becomes a case in tests/faults/test_fuzz_findings.py.
"""

import argparse
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["inktex"]):
    import targets

    if not {"readers", "tokenizer"} & set(sys.argv):
        import inktex.server.app  # noqa: F401  (what targets import later would not be watched)


def main() -> None:
    """Fuzz one target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=sorted(targets.TARGETS))
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    here = Path(__file__).parent
    corpus, found = here / "corpus" / arguments.target, here / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    for number, seed in enumerate(targets.SEEDS[arguments.target]):
        (corpus / f"seed-{number}").write_bytes(seed)
    flags = [f"-max_total_time={arguments.seconds}", f"-artifact_prefix={found}/{arguments.target}-"]
    flags += ["-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1", str(corpus)]
    atheris.Setup([sys.argv[0], *flags], targets.TARGETS[arguments.target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
