"""Every command and code block of the README and the docs is run, on small ink, in a folder of its own.

A block that cannot be run here says so where readers see it, in a comment: `# needs CROHME and hours`, at the
end of a line or above the lines it is about. Such commands are parsed all the same, so that an option that
does not exist is found. CROHME itself is no reason: the folder has a tiny collection with its layout.
"""

import ast
import glob
import importlib
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tokenize
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from blocks import PAGES, ROOT, Block, Command, blocks_of, commands_of, needs_of
from typer.testing import CliRunner

from inktex.cli import build_app
from inktex.ink import Ink, save
from inktex.latex import normalize, print_latex

pytest.importorskip("torch", reason="the commands of the docs need inktex[dev]")

APP = build_app()
BLOCKS = [block for page in PAGES for block in blocks_of(page)]
X_SQUARED = [
    [[0, 12], [6, 16], [12, 22], [20, 28]],
    [[20, 12], [12, 20], [6, 24], [0, 28]],
    [[29, 4], [33, 0], [38, 2], [38, 7], [28, 17], [39, 17]],
]


def pages_with(*languages: str) -> list[Any]:
    """The pages that have blocks in one of these languages."""
    pages = dict.fromkeys(block.page for block in BLOCKS if block.language in languages)
    return [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in pages]


def blocks_in(page: Path, *languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.page == page and block.language in languages]


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training run, as `inktex train` leaves it behind, of a small untrained network."""
    from safetensors.torch import save_file

    from inktex.model import Network
    from small_networks import SMALL

    folder = tmp_path_factory.mktemp("run") / "p2-1"
    folder.mkdir()
    network = Network(replace(SMALL, features=SMALL.features))
    config = {"config": json.dumps(network.config.to_json())}
    save_file(network.state_dict(), folder / "last.safetensors", metadata=config)
    return folder


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory, small_run: Path) -> Path:
    """The files that the docs name: ink, a folder, a zip, a page, a training run, data laid out as CROHME."""
    folder = tmp_path_factory.mktemp("material")
    shutil.copytree(ROOT / "examples", folder / "examples")
    ink = Ink.from_strokes(X_SQUARED).replace(truth="x ^ { 2 }")
    for name in ("note.inkml", "strokes.json"):
        save(ink, folder / name)
    for name in ("inks", "my-inks"):
        (folder / name).mkdir()
        save(ink, folder / name / "a.inkml")
        save(ink.translate(3, 4), folder / name / "b.inkml")
    for name in ("note.xopp", "drawing.xopp"):
        shutil.copy(ROOT / "examples" / "quadratic.xopp", folder / name)
    for name in ("notes.xopp", "page.xopp"):
        shutil.copy(ROOT / "examples" / "page.xopp", folder / name)
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.write(folder / "note.inkml", "more/note.inkml")
    _collection(folder, ink)
    shutil.copytree(small_run, folder / "runs" / "p2-1")
    shutil.copy(ROOT / "constraints.txt", folder)
    for name in ("models", "scripts", "src"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def _collection(folder: Path, ink: Ink) -> None:
    """CROHME's layout with ink of our own: zips of splits, and the archives as they are downloaded."""
    from itertools import islice

    from inktex.corpus import ExpressionModel, Synthesizer, synthesize
    from inktex.corpus.hershey import hershey_bank

    made = synthesize(Synthesizer(hershey_bank(writers=2, repeats=1)), ExpressionModel.builtin(), seed=3)
    inks = [ink, *(example.ink for example in islice(made, 11))]
    splits = {"train": "TrainINKML", "test2013": "TestINKMLGT", "test2014": "TestEM2014GT"}
    data = folder / "CROHME"
    for split, name in splits.items():
        (folder / "home" / name).mkdir(parents=True)
        for number, each in enumerate(inks):
            save(each, folder / "home" / name / f"{split}_{number}.inkml")
        (data / "crohme").mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(data / "crohme" / f"{split}.zip", "w") as archive:
            for path in (folder / "home" / name).iterdir():
                archive.write(path, f"{name}/{path.name}")
    shutil.copy(data / "crohme" / "train.zip", folder / "home" / "CROHME2014.zip")


@pytest.fixture
def here(material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the material as working folder."""
    folder = tmp_path / "here"
    shutil.copytree(material, folder, symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("INKTEX_DATA", str(folder / "CROHME"))
    monkeypatch.setenv("INKTEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("INKTEX_MODEL", raising=False)
    return folder


@pytest.fixture(scope="module")
def server(recognizer: Any) -> Iterator[Any]:
    pytest.importorskip("uvicorn", reason="the server needs inktex[serve]")
    from inktex.server import ServerOptions
    from running_server import RunningServer

    running = RunningServer(ServerOptions(), recognizer)
    yield running
    running.stop()


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that these words begin with, and the rest of them."""
    command: Any = typer.main.get_command(APP)
    words = list(words)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    assert not hasattr(command, "commands"), f"there is no command {' '.join(words)!r}"
    return command, words


def parse(words: list[str]) -> None:
    """Take `inktex WORDS` apart as the command would: options that do not exist, or lack a value, raise."""
    command, words = command_of(words)
    context = typer.Context(command)
    values, _, _ = command.make_parser(context).parse_args(words)
    for parameter in command.params:
        if parameter.name in values and values[parameter.name] is not None:
            parameter.type_cast_value(context, values[parameter.name])


def run_inktex(words: list[str], stdin: str | None) -> None:
    words = [each for word in words for each in (sorted(glob.glob(word)) or [word])]
    parse(words)
    if words[0] == "serve":  # until it is stopped; tests/server/test_serve_command.py
        return
    result = CliRunner().invoke(APP, words, input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output


def check_pip(words: list[str]) -> None:
    """Extras and files that `pip install` is given exist."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for word in words:
        for named in re.findall(r"^(?:\.|inktex)\[(.*)\]$", word):
            assert set(named.split(",")) <= set(extras), f"{word}: there are {', '.join(extras)}"
        if word.endswith(".txt"):
            assert (ROOT / word).is_file(), word


def check_npm(words: list[str]) -> None:
    if words[:1] == ["run"]:
        assert words[1] in json.loads((ROOT / "web" / "package.json").read_text())["scripts"]


def check_script(words: list[str]) -> None:
    """A script, or a module with paths: files exist, and so do the options of our own scripts."""
    options = {word.split("=")[0] for word in words if re.match(r"--\w", word)}
    for word in words:
        if re.fullmatch(r"(scripts|benchmarks|tests|fuzz)/.*", word):
            assert (ROOT / word).exists(), word
    if words and words[0].endswith(".py"):
        source = (ROOT / words[0]).read_text(encoding="utf-8")
        missing = {option for option in options if f'"{option}"' not in source}
        assert not missing, f"{words[0]} has no {', '.join(missing)}"


def run_script(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    check_script(words)
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    try:
        runpy.run_path(str(ROOT / words[0]), run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"exit code {end.code}") from end


def run_curl(words: list[str], server: Any) -> None:
    """One request, as curl would send it."""
    import httpx

    url = re.sub(r"^(https?://)?localhost:8000", server.url, words[0])
    headers: dict[str, str] = {}
    body: str | None = None
    files: dict[str, Any] = {}
    for option, value in zip(words[1::2], words[2::2], strict=True):
        if option == "-H":
            name, _, content = value.partition(":")
            headers[name] = content.strip()
        elif option == "-d":
            body = value
        else:
            assert option == "-F", f"curl {option} is not known here"
            name, _, path = value.partition("=@")
            files[name] = (path, Path(path).read_bytes())
    method = "POST" if body is not None or files else "GET"
    answer = httpx.request(method, url, headers=headers, content=body, files=files or None, timeout=60)
    assert answer.status_code == 200, answer.text


def run_command(command: Command, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run it, or check it as far as that goes where it would take long, install or never end."""
    text, _, source = command.text.partition(" < ")
    words = [os.path.expandvars(os.path.expanduser(word)) for word in shlex.split(text)]
    first, rest = words[0].split("/")[-1], words[1:]
    if first == "torchrun":
        first, rest = "inktex", rest[rest.index("inktex") + 1 :]
    if first == "inktex" and command.needs:
        parse(rest)
    elif first == "inktex":
        run_inktex(rest, Path(source.strip()).read_text() if source else None)
    elif first == "export":
        monkeypatch.setenv(*rest[0].split("=", 1))
    elif first == "make":
        for target in (word for word in rest if "=" not in word):
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target
    elif first == "pip":
        check_pip(rest)
    elif first == "npm":
        check_npm(rest)
    elif first == "curl":
        run_curl(rest, server)
    elif first in ("python", "ruff", "mypy", "pytest"):
        if command.needs or not rest or not rest[0].startswith("scripts/"):
            check_script(rest)
        else:
            run_script(rest, monkeypatch)
    else:
        assert command.needs, f"{first}: not known here; say in a comment what it needs"


@pytest.mark.parametrize("page", pages_with("sh", "bash", "console", "shell"))
def test_commands_run(page: Path, here: Path, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    for block in blocks_in(page, "sh", "bash", "console", "shell"):
        for command in commands_of(block.text):
            try:
                run_command(command, server, monkeypatch)
            except Exception as error:
                raise AssertionError(f"{block}: {command}: {type(error).__name__}: {error}") from error


def run_python(block: Block, names: dict[str, Any], text: str) -> None:
    """Run a block; where the comment behind an expression is a value in Python, that is the value."""
    comments = {
        token.start[0]: token.string[1:].strip()
        for token in tokenize.generate_tokens(StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    for node in ast.parse(text).body:
        here = f"{block.page.name}:{block.line + node.lineno - 1}"
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), here, "exec"), names)
            continue
        value = eval(compile(ast.Expression(node.value), here, "eval"), names)
        try:
            said = ast.literal_eval(comments.get(node.end_lineno or 0, "…"))
        except (ValueError, SyntaxError):
            continue
        assert value == said, f"{here}: {value!r}"


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_runs(page: Path, here: Path, server: Any) -> None:
    """The blocks of a page go on from each other."""
    names: dict[str, Any] = {}
    for block in blocks_in(page, "python"):
        tree = ast.parse(block.text)
        if block.text.startswith("# needs"):
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inktex"):
                    module = importlib.import_module(str(node.module))
                    assert all(hasattr(module, alias.name) for alias in node.names), f"{block}"
            continue
        try:
            run_python(block, names, block.text.replace("localhost:8000", f"127.0.0.1:{server.port}"))
        except Exception as error:
            raise AssertionError(f"{block}: {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("page", pages_with("json"))
def test_json_has_the_fields_of_an_answer(page: Path, recognizer: Any) -> None:
    answer = recognizer.recognize(X_SQUARED, top=2).to_json()
    fields = {*answer, "lines", "attention", "error", "source"}
    for block in blocks_in(page, "json"):
        for said in _objects(json.loads(block.text)):
            if "schema" in said or "source" in said:
                assert set(said) - {"…"} <= fields, f"{block}"
            if said.get("latex"):
                assert said["latex"] == print_latex(normalize(said["latex"])), f"{block}: as people write it"


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _objects(each)


@pytest.mark.parametrize("page", pages_with("js", "ts"))
def test_javascript_is_whole_and_names_what_the_package_has(page: Path, tmp_path: Path) -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "web" / "src").rglob("*.ts"))
    node = shutil.which("node")
    for block in blocks_in(page, "js"):
        for names in re.findall(r'import \{(.*?)\} from "inktex', block.text):
            for name in names.split(","):
                assert re.search(rf"\b(class|function|const|interface|type) {name.strip()}\b", sources), name
        for method in re.findall(r"\b(?:Recognizer|recognizer|session|pad)\.(\w+)\(", block.text):
            assert re.search(rf"\b{method}\(", sources), f"{block}: {method}"
        if node is not None:
            file = tmp_path / "block.mjs"
            file.write_text(block.text, encoding="utf-8")
            done = subprocess.run([node, "--check", str(file)], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{block}: {done.stderr}"


SQL_WORDS = {"select", "from", "where", "order", "by", "desc", "as", "for", "in"}
SQL_NAMES = {"len", "list_sum", "s", "strokes", "points", "inks", "parquet"}


@pytest.mark.parametrize("page", pages_with("sql"))
def test_sql_names_columns_of_the_store(page: Path) -> None:
    """There is no DuckDB here to run it."""
    pytest.importorskip("pyarrow", reason="ink stores need inktex[store]")
    from inktex.store.files import SCHEMA

    known = {*SCHEMA.names, *(field.name for field in SCHEMA.field("recognition").type)}
    for block in blocks_in(page, "sql"):
        code = re.sub(r"--.*", "", block.text)
        assert set(re.findall(r"[a-z_]+", code.lower())) <= known | SQL_WORDS | SQL_NAMES, f"{block}"


def test_languages_are_those_that_are_tested() -> None:
    tested = {"sh", "bash", "console", "shell", "python", "json", "toml", "js", "ts", "sql"}
    shown = {"text", "html", "xml", "latex", "yaml"}  # read by nobody but people
    for block in BLOCKS:
        assert block.language in tested | shown, f"{block}: {block.language}"
        if block.language == "toml":
            tomllib.loads(block.text)


class TestReadingBlocks:
    """The reader of these blocks, on its own."""

    def test_commands_are_told_from_comments_and_quotations(self) -> None:
        text = "inktex a  # needs no data\ncurl x -d '{\n}'\n\n# needs hours\nb --c \\\n  d && e  # or f"
        commands = [(each.text, each.needs) for each in commands_of(text)]
        assert commands == [
            ("inktex a", None),
            ("curl x -d '{\n}'", None),
            ("b --c   d", "hours"),
            ("e", "hours"),
        ]

    def test_an_option_that_does_not_exist_is_found(self) -> None:
        parse(["train", "--recipe", "p2"])
        with pytest.raises(Exception, match="No such option: --receipt"):
            parse(["train", "--receipt", "p2"])
        with pytest.raises(typer.BadParameter, match="worst"):
            parse(["export", "runs/p2-1", "-o", "p2.inktex", "--weights", "worst"])
        with pytest.raises(AssertionError, match="no command"):
            parse(["teach"])

    def test_a_value_that_differs_is_found(self) -> None:
        block = Block(ROOT / "README.md", 1, "python", "")
        run_python(block, {}, "1 + 1  # 2\n1 + 1  # about two")
        with pytest.raises(AssertionError, match=r"README\.md:2: 2"):
            run_python(block, {}, "one = 1\none + 1  # 3")

    def test_reasons_are_read_from_comments(self) -> None:
        assert needs_of("# needs CROHME") == "CROHME"
        assert needs_of("# needs no pyarrow") is None
