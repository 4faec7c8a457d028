"""The plug-in for Xournal++: its calls against the recorded interface; .xopp files in the real program."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inktex.ink import read

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "integrations" / "xournalpp"
INTERFACE = json.loads((Path(__file__).parent / "xournalpp_interface.json").read_text(encoding="utf-8"))
PROGRAM = shutil.which("xournalpp")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="no Xournal++: apt-get install xournalpp")

# What Xournal++ checks about the arguments, and what it answers; anything else is an error as it is there.
STAND_IN = """
calls = {}
local functions = {}
local initialising = false

function functions.registerUi(options)
  assert(initialising, "registerUi needs to be called within initUi()")
  assert(type(options) == "table" and type(options.callback) == "string" and type(options.menu) == "string")
  assert(type(_G[options.callback]) == "function", options.callback)
end
function functions.getStrokes(kind)
  assert(kind == "selection" or kind == "layer", "Unknown argument")
  if selection then return selection end
  if without_selection == "error" then error("There is no selection! ") end
end
function functions.getDocumentStructure()
  return { currentPage = 2, pages = { { pageWidth = 10 }, { pageWidth = 595 } } }
end
function functions.addTexts(options)
  assert(type(options.texts) == "table", "Missing text table!")
  for _, text in ipairs(options.texts) do
    assert(type(text.text) == "string" and type(text.x) == "number" and type(text.y) == "number")
  end
  local undo = options.allowUndoRedoAction
  assert(undo == nil or undo == "grouped" or undo == "individual" or undo == "none")
end
function functions.openDialog(message, buttons, callback, isError)
  assert(type(message) == "string" and type(buttons) == "table" and type(callback) == "string")
  assert(isError == nil or type(isError) == "boolean")
end
function functions.msgbox(message, buttons)
  assert(type(message) == "string" and type(buttons) == "table")
  return 1
end
function functions.uiAction(options)
  assert(type(options.action) == "string")
end
function functions.refreshPage() end

app = {}
for name in known:gmatch("%w+") do
  app[name] = functions[name] and function(...)
    calls[#calls + 1] = { name = name, ... }
    return functions[name](...)
  end
end

function start()
  initialising = true
  initUi()
  initialising = false
end
"""


class Program:
    """Xournal++ of some version as the plug-in sees it."""

    def __init__(self, version: str, lua: str) -> None:
        runtimes = pytest.importorskip("lupa", reason="Lua for Python: pip install lupa (inktex[dev])")
        self.lua = __import__(f"{runtimes.__name__}.{lua}", fromlist=["LuaRuntime"]).LuaRuntime()
        names = self.lua.globals()
        names.known = " ".join(INTERFACE[version]["functions"])
        names.without_selection = INTERFACE[version]["without_selection"]
        self.lua.execute(STAND_IN)
        self.lua.execute((PLUGIN / "main.lua").read_text(encoding="utf-8"))
        names.start()

    def select(self, strokes: list[dict[str, Any]]) -> None:
        self.lua.globals().selection = self.lua.table_from(strokes, recursive=True)

    def choose(self, callback: str) -> list[tuple[str, Any]]:
        """Press a menu entry; gives what the plug-in called since, with the first argument."""
        names = self.lua.globals()
        names.calls = self.lua.table()
        names[callback]()
        return [(call.name, call[1]) for call in names.calls.values()]


@pytest.fixture(params=["lua53", "lua54"])
def lua(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def strokes() -> list[dict[str, Any]]:
    """The quadratic formula of the examples, as `app.getStrokes` gives it."""
    ink = read(ROOT / "examples" / "quadratic.xopp")
    style = {"tool": "pen", "width": 1.41, "color": 0, "fill": -1, "lineStyle": "plain"}
    return [
        {"x": [float(x) for x, _ in each], "y": [float(y) for _, y in each], **style} for each in ink.strokes
    ]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Instead of the command: notes what it was asked and the ink, and answers LaTeX."""
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    path = folder / "inktex"
    path.write_text(
        f"#!{sys.executable}\nimport json, pathlib, sys\n"
        "here = pathlib.Path(__file__).parent\n"
        "ink = json.load(open(sys.argv[-1]))\n"
        "(here / 'asked.json').write_text(json.dumps({'options': sys.argv[1:-1], 'ink': ink}))\n"
        "sys.stderr.write((here / 'complaint').read_text() if (here / 'complaint').exists() else '')\n"
        "if (here / 'broken').exists(): sys.exit(1)\n"
        "print(r'\\frac { 1 } { 2 }')\n"
    )
    path.chmod(0o755)
    monkeypatch.setenv("INKTEX_COMMAND", str(path))
    return folder


def asked(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "asked.json").read_text())
    return found


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_latex_goes_to_the_clipboard(version, lua, command, strokes) -> None:
    program = Program(version, lua)
    program.select([*strokes, {**strokes[0], "tool": "highlighter"}])
    calls = program.choose("copyLatex")
    assert [name for name, _ in calls] == ["getStrokes"], calls[-1]
    assert asked(command)["options"] == ["recognize", "--copy"]
    ink = asked(command)["ink"]
    assert len(ink) == len(strokes)
    for points, stroke in zip(ink, strokes, strict=True):
        assert [x for x, _ in points] == pytest.approx(stroke["x"], abs=1e-4)
        assert [y for _, y in points] == pytest.approx(stroke["y"], abs=1e-4)


def test_without_a_clipboard_program_the_latex_is_shown(lua, command, strokes) -> None:
    (command / "complaint").write_text("inktex: there is no clipboard here; nothing was copied\n")
    program = Program("1.3", lua)
    program.select(strokes)
    (_, (name, message)) = program.choose("copyLatex")
    assert name == "openDialog"
    assert message.startswith("\\frac { 1 } { 2 }\n")
    assert "no clipboard" in message


def test_latex_is_written_beside_or_below(lua, command, strokes) -> None:
    program = Program("1.3", lua)
    narrow = strokes[:1]
    program.select(narrow)
    calls = program.choose("writeLatex")
    assert [name for name, _ in calls] == ["getStrokes", "getDocumentStructure", "addTexts", "refreshPage"]
    (text,) = calls[2][1].texts.values()
    assert text.text == r"\frac { 1 } { 2 }"
    assert text.x == pytest.approx(max(narrow[0]["x"]) + 12)
    assert text.y == pytest.approx(min(narrow[0]["y"]))
    assert asked(command)["options"] == ["recognize"]
    wide = [{**strokes[0], "x": [x + 400 for x in strokes[0]["x"]]}]
    program.select(wide)
    (text,) = program.choose("writeLatex")[2][1].texts.values()
    assert text.x == pytest.approx(min(wide[0]["x"]))
    assert text.y == pytest.approx(max(wide[0]["y"]) + 12)


def test_version_1_2_cannot_add_text_so_it_is_pasted(lua, command, strokes) -> None:
    program = Program("1.2", lua)
    program.select(strokes)
    calls = program.choose("writeLatex")
    assert [name for name, _ in calls] == ["getStrokes", "uiAction"]
    assert calls[1][1].action == "ACTION_PASTE"
    assert asked(command)["options"] == ["recognize", "--copy"]


@pytest.mark.parametrize(("version", "dialog"), [("1.2", "msgbox"), ("1.3", "openDialog")])
def test_what_goes_wrong_is_said(version, dialog, lua, command, strokes) -> None:
    program = Program(version, lua)
    assert program.choose("copyLatex")[-1] == (dialog, "Select what you wrote with the pen first.")
    program.select([{**strokes[0], "tool": "highlighter"}])
    assert program.choose("writeLatex")[-1] == (dialog, "Select what you wrote with the pen first.")
    program.select(strokes)
    (command / "complaint").write_text("inktex: too many points\n")
    (command / "broken").touch()
    name, message = program.choose("writeLatex")[-1]
    assert (name, message) == (dialog, "inktex could not read this.\ninktex: too many points")


def test_no_files_are_left(lua, command, strokes) -> None:
    program = Program("1.3", lua)
    program.select(strokes)
    made: list[str] = []
    tmpname = program.lua.globals().os.tmpname
    program.lua.globals().os.tmpname = lambda: made.append(tmpname()) or made[-1]
    program.choose("writeLatex")
    assert len(made) == 3
    assert not any(Path(name).exists() for name in made)


def test_1_1_lacks_what_the_plug_in_needs_and_it_says_so(lua, command) -> None:
    assert "getStrokes" not in INTERFACE["1.1.3"]["functions"]
    program = Program("1.1.3", lua)
    assert program.choose("copyLatex") == [("msgbox", "This plug-in needs Xournal++ 1.2 or later.")]


def test_the_real_command_reads_the_selection(strokes, recognizer, monkeypatch, tmp_path) -> None:
    path = tmp_path / "inktex"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -m inktex "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("INKTEX_COMMAND", str(path))
    program = Program("1.3", "lua54")
    program.select(strokes)
    (text,) = program.choose("writeLatex")[2][1].texts.values()
    assert text.text == recognizer.recognize(ROOT / "examples" / "quadratic.xopp").latex


def test_the_description_names_the_script() -> None:
    description = configparser.ConfigParser()
    description.read(PLUGIN / "plugin.ini", encoding="utf-8")
    assert (PLUGIN / description["plugin"]["mainfile"]).is_file()
    assert {"author", "description", "version"} <= description["about"].keys()


@needs_program
@pytest.mark.parametrize("name", ["quadratic.xopp", "page.xopp"])
def test_xournalpp_draws_what_inktex_reads(name: str, tmp_path: Path) -> None:
    picture = tmp_path / "page.svg"
    command = [str(PROGRAM), f"--create-img={picture}", str(ROOT / "examples" / name)]
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    subprocess.run(command, check=True, capture_output=True, timeout=60, env=environment)
    pen = re.findall(
        r'<path style="fill:none;[^"]*stroke-linecap:round;[^"]*" d="([^"]+)"', picture.read_text()
    )
    ink = read(ROOT / "examples" / name)
    assert len(pen) == len(ink)
    for path, stroke in zip(pen, ink.strokes, strict=True):
        drawn = [[float(x), float(y)] for x, y in re.findall(r"[ML] (\S+) (\S+)", path)]
        # Cairo leaves out points that lie on the line between their neighbours.
        for x, y in drawn:
            assert min(abs(stroke[:, 0] - x) + abs(stroke[:, 1] - y)) < 0.02
        assert drawn[0] == pytest.approx(stroke[0].tolist(), abs=0.02)
        assert drawn[-1] == pytest.approx(stroke[-1].tolist(), abs=0.02)


@needs_program
def test_recorded_functions_of_debians_xournalpp_are_those_it_has() -> None:
    said = subprocess.run(
        [str(PROGRAM), "--version"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    if "1.1.3" not in said:
        pytest.skip(f"not the version of Debian 12: {said.splitlines()[0]}")
    names = {text.decode() for text in re.findall(rb"\x00(\w+)(?=\x00)", Path(str(PROGRAM)).read_bytes())}
    known = {
        name for version in INTERFACE.values() if isinstance(version, dict) for name in version["functions"]
    }
    assert known & names == set(INTERFACE["1.1.3"]["functions"])
