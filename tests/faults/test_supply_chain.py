"""The lock says what CI installs, exactly; an audit that could not look packages up is not called clean."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    """A script of the repository as a module."""
    import sys

    spec = importlib.util.spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("extras", "lock"), [("figures", "requirements-demo.txt"), ("dev", "requirements-ci.txt")]
)
def test_locks_fit_what_the_project_asks_for(monkeypatch, extras, lock):
    monkeypatch.chdir(ROOT)
    script("lock").check(extras, Path(lock))
    lines = [line for line in Path(lock).read_text().splitlines() if not line.startswith("#")]
    assert lines == sorted(lines)
    for line in lines:  # a version and a hash, and nothing about where it was found
        assert re.fullmatch(r"[a-z0-9-]+==[\w.+!]+ --hash=sha256:[0-9a-f]{64}", line), line


def test_a_lock_that_does_not_fit_is_refused_with_what_to_do(tmp_path, monkeypatch):
    lock = script("lock")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "inktex"\ndependencies = ["numpy>=2,<3"]\n'
        '[project.optional-dependencies]\nall = ["inktex[store]"]\nstore = ["py_arrow>=17"]\n'
    )
    (tmp_path / "lock.txt").write_text("numpy==1.26.4 --hash=sha256:00\nsetuptools==80.0 --hash=sha256:00\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"has numpy 1\.26\.4, not <3,>=2; lacks py_arrow; run `make lock`"):
        lock.check("all", Path("lock.txt"))


def test_an_audit_says_what_is_known_and_what_could_not_be_asked():
    audit = script("audit")
    unasked = {"name": "a", "skip_reason": "not found on PyPI"}
    clean = {"name": "b", "version": "1", "vulns": []}
    bad = {"name": "c", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
    lock = Path("lock.txt")

    def said(*packages: dict) -> tuple[int, str]:
        return audit.verdict(audit.Findings.of({"dependencies": list(packages)}), lock)

    assert said(clean) == (0, "lock.txt: 1 packages looked up with nothing known against them")
    code, text = said(clean, unasked)
    assert code == 2
    assert "1 could not be looked up: this is NOT a clean result" in text
    code, text = said(clean, unasked, bad)
    assert code == 1
    assert "c 2: PYSEC-1 fixed in 2.1" in text
    assert "make lock" in text
