"""Files that tools outside of this repository read (citation, hooks, workflow), and names in the code."""

import ast
import os
import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_names_this_version_and_the_paper() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    [paper] = citation["references"]
    assert [author["family-names"] for author in paper["authors"]] == ["Zhang", "Du", "Dai"]
    assert paper["title"].split()[:2] == ["A", "GRU-based"]


def test_hooks_run_the_tools_of_make_check() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    [local] = config["repos"]
    assert local["repo"] == "local"
    hooks = {re.sub(r" --force-exclude", "", hook["entry"]) for hook in local["hooks"]}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    check = makefile.split("\ncheck:")[1].split("\n\n")[0]
    wanted = re.findall(r"^\t\$\(BIN\)/(.*)$", check, re.MULTILINE)
    assert hooks == {".venv/bin/" + re.sub(r" (--check )?\.$", "", tool) for tool in wanted}


def test_the_workflow_runs_the_script_of_ci() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    [job] = workflow["jobs"].values()
    assert {"run": ".ci/run"} in job["steps"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_licence_of_the_weights_names_every_model() -> None:
    text = (ROOT / "LICENSE-WEIGHTS.md").read_text(encoding="utf-8")
    models = {
        path.stem for folder in ("models", "src/inktex/weights") for path in (ROOT / folder).glob("*.inktex")
    }
    assert models <= set(re.findall(r"`([^`]+)`", text))


def test_names_in_the_code_spell_recognize_with_z() -> None:
    """Prose is British; names are what Python programmers type."""
    named = []
    for folder in ("src", "scripts", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [getattr(node, field, None) for field in ("id", "attr", "name", "arg")]
                named += [f"{path.name}: {name}" for name in names if isinstance(name, str)]
    assert not [name for name in named if "recognis" in name.casefold()]
