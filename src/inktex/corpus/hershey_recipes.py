"""How to write each symbol of the built-in bank: which strokes, in which order, joined or lifted.

Data only. A way of writing a symbol is either a Hershey glyph with a plan, or a drawing of our own where the
fonts have none or only one with doubled lines. A plan lists strokes of the font's glyph in the order of
writing: `,` lifts the pen, `+` draws on, `-` before a number runs the stroke backwards; `all` takes them as
they come and `joined` draws on wherever one stroke begins about where the last one ended. A drawing lists
strokes after `;` as points `x,y` in the fonts' units (capitals from -12 to the baseline 9, small letters from
-5), smooth but for the points marked `!`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class FromFont:
    """A glyph of a Hershey font and the plan of its strokes."""

    font: str
    character: str
    plan: str


@dataclass(frozen=True)
class Drawn:
    """A drawing of our own."""

    path: str


Way = FromFont | Drawn


def _font(font: str, plans: dict[str, str]) -> dict[str, list[Way]]:
    return {name: [FromFont(font, name, plan) for plan in text.split()] for name, text in plans.items()}


_PRINT = _font(
    "futural",
    {
        "a": "1+0", "b": "0+1", "c": "0", "d": "1+0", "e": "0", "f": "0,1", "g": "1+0", "h": "0+1",
        "k": "0,1+2 0,1,2", "l": "0", "m": "0+1+2", "n": "0+1", "o": "0", "p": "0+1 0,1", "q": "1+0",
        "r": "0+1", "s": "0", "t": "0,1", "u": "0+1", "v": "0+-1", "w": "0+-1+2+-3", "x": "0,1 1,0",
        "y": "0,1 0+1", "z": "1+0+2", "A": "-0+1,2 0,1,2", "B": "0,1+2 0+1+2", "C": "0", "D": "0,1 0+1",
        "E": "0,1,2,3 -1+0+3,2", "F": "0,1,2 -1+0,2", "G": "0,1", "H": "0,1,2", "J": "0", "K": "0,1+2",
        "L": "0+1", "M": "-0+1+-2+3", "N": "-0+1+-2", "O": "0", "P": "0,1 0+1", "Q": "0,1",
        "R": "0,1+2 0+1+2", "S": "0", "T": "1,0 0,1", "U": "0", "V": "0+-1", "W": "0+-1+2+-3",
        "X": "0,1", "Y": "0,1 1,0", "Z": "1+0+2", "0": "0", "1": "0", "2": "0", "3": "0", "4": "0,1",
        "5": "0", "6": "0", "7": "1+0", "8": "0", "9": "0", "(": "0", ")": "0", "+": "1,0 0,1",
        "-": "0", "=": "0,1", "/": "0", "|": "0", "<": "0", ">": "0",
    },
)  # fmt: skip
_SCRIPT = _font("scripts", {**dict.fromkeys("abcdefghklmnopqrstuvwyz", "joined"), "x": "all"})


def _greek(letters: dict[str, tuple[str, str]]) -> dict[str, list[Way]]:
    return {
        name: [FromFont("greeks", character, plan) for plan in plans.split()]
        for name, (character, plans) in letters.items()
    }


_GREEK = _greek(
    {
        r"\alpha": ("a", "-0+1"), r"\beta": ("b", "-0+1+2"), r"\gamma": ("c", "0+1"),
        r"\delta": ("d", "all"), r"\epsilon": ("e", "joined"), r"\vartheta": ("h", "all"),
        r"\lambda": ("k", "0,1 all"), r"\mu": ("l", "joined"), r"\pi": ("p", "2,0,1 0,1,2"),
        r"\sigma": ("r", "all"), r"\phi": ("u", "all"), r"\omega": ("x", "joined"),
        r"\rho": ("q", "all"), r"\tau": ("s", "all"), r"\eta": ("g", "joined"), r"\psi": ("w", "all"),
        r"\Delta": ("D", "0+2+-1 0,1,2"), r"\Gamma": ("C", "all"), r"\Theta": ("H", "all"),
        r"\Pi": ("P", "all"), r"\Phi": ("U", "all"), r"\Omega": ("X", "all"), r"\Sigma": ("R", "all"),
    }
)  # fmt: skip

_DRAWN: dict[str, list[str]] = {
    "i": ["0,-5 0,4 1,8 4,9; 0,-10", "0,-4! 0,9; 1,-10"],
    "j": ["1,-5 1,10 0,15 -3,16 -6,14; 1,-10", "2,-4 2,12 -1,16 -5,15; 2,-11"],
    "I": ["-5,-12! 5,-12; 0,-12! 0,9; -5,9! 5,9", "0,-12! 0,9"],
    "f": ["6,-9 5,-12 2,-12 0,-8 0,12 -2,16 -5,15; -4,-2! 5,-2"],
    "z": ["-5,-5! 6,-5! -5,9! 6,9; -3,2! 4,2"],
    "7": ["-7,-12! 7,-12! -2,9; -4,-2! 5,-2"],
    "1": ["0,-12! 0,9", "-5,-7! 1,-12! 1,9"],
    "9": ["5,-9 1,-12 -4,-11 -6,-6 -3,-2 2,-2 5,-8! 5,-9 5,9"],
    "4": ["-2,-12! -6,2! 7,2; 3,-5! 3,9"],
    "5": ["-4,-12! -5,-3 1,-4 6,0 5,6 0,9 -6,7; -4,-12! 6,-12"],
    "x": ["-6,-3 -4,-5 -2,-3 0,2 2,7 4,9 6,7; 5,-5 2,-3 0,2 -2,7 -5,9"],
    "y": ["-6,-5 -6,2 -3,4 2,3 5,-5! 5,-5 5,11 2,16 -3,15"],
    "!": ["0,-12! 0,3; 0,9"],
    ".": ["0,8 1,9 0,9", "0,9"],
    ",": ["1,8 1,10 -1,14", "1,8! -2,14"],
    "'": ["1,-12! -1,-6"],
    r"\prime": ["1,-12! -1,-5", "2,-12! -1,-6"],
    "[": ["4,-14! -2,-14! -2,14! 4,14"],
    "]": ["-4,-14! 2,-14! 2,14! -4,14"],
    r"\{": ["5,-15 1,-14 0,-10 0,-4 -1,-1 -4,0! -1,1 0,4 0,10 1,14 5,15"],
    r"\}": ["-5,-15 -1,-14 0,-10 0,-4 1,-1 4,0! 1,1 0,4 0,10 -1,14 -5,15"],
    r"\frac": ["-12,0! 12,0"],
    r"\cdot": ["0,0 1,1 0,1", "0,0"],
    r"\ldots": ["-8,8 -8,9; 0,8 0,9; 8,8 8,9", "-9,9; 0,9; 9,9"],
    r"\cdots": ["-8,0 -8,1; 0,0 0,1; 8,0 8,1", "-9,0; 0,0; 9,0"],
    r"\times": ["-6,-6! 6,6; 6,-6! -6,6"],
    r"\div": ["-8,0! 8,0; 0,-7 0,-6; 0,6 0,7"],
    r"\pm": ["0,-10! 0,5; -7,-3! 7,-3; -7,9! 7,9", "-7,-3! 7,-3; 0,-10! 0,5; -7,9! 7,9"],
    r"\neq": ["-8,-3! 8,-3; -8,3! 8,3; 5,-10! -5,10", "-8,-3! 8,-3; -8,3! 8,3; 3,-10! -6,9"],
    r"\leq": ["8,-9! -8,-2! 8,5; -8,10! 8,10", "8,-8! -8,-1! 8,5; -8,4! 8,11"],
    r"\geq": ["-8,-9! 8,-2! -8,5; -8,10! 8,10", "-8,-8! 8,-1! -8,5; -8,11! 8,5"],
    r"\in": ["7,-9 0,-9 -6,-6 -8,0 -6,6 0,9 7,9; -8,0! 5,0"],
    r"\infty": [
        "0,0 3,-4 7,-5 10,-3 10,3 7,5 3,4 0,0 -3,-4 -7,-5 -10,-3 -10,3 -7,5 -3,4 0,0",
        "10,-4 7,-5 3,-4 0,0 -3,4 -7,5 -10,3 -10,-3 -7,-5 -3,-4 0,0 3,4 7,5 10,3 10,-2",
    ],
    r"\forall": ["-8,-12! 0,9! 8,-12; -5,-4! 5,-4"],
    r"\exists": [
        "-5,-12! 6,-12! 6,9! -5,9; -4,-2! 6,-2",
        "-5,-12! 6,-12; 6,-12! 6,9; -4,-2! 6,-2; -5,9! 6,9",
    ],
    r"\rightarrow": ["-11,0! 11,0; 6,-5! 11,0! 6,5", "-11,0! 11,0! 6,-4; 11,0! 6,5"],
    r"\leftarrow": ["11,0! -11,0; -6,-5! -11,0! -6,5"],
    r"\int": [
        "6,-15 4,-17 1,-15 0,-10 0,10 -1,15 -4,17 -6,15",
        "8,-16 5,-18 2,-15 1,-8 -1,8 -2,15 -5,18 -8,16",
    ],
    r"\sum": ["8,-11! 8,-13! -8,-13! 2,-2! -9,10! 9,10! 9,8", "-8,-13! 1,-2! -9,10! 9,10; -8,-13! 9,-13"],
    r"\prod": ["-9,-13! 9,-13; -6,-13! -6,10; 6,-13! 6,10"],
    r"\sqrt": ["-10,1! -7,-2! -3,9! 2,-14! 12,-14", "-8,0! -4,9! 2,-13! 12,-13"],
    r"\partial": ["-4,-9 0,-12 4,-9 6,-2 4,6 0,9 -4,7 -5,2 -2,-2 3,-2 6,2"],
    r"\theta": [
        "2,-12 -3,-9 -5,-2 -4,6 0,9 4,6 6,-2 4,-9 1,-12; -5,-2! 6,-2",
        "1,-12 -4,-7 -5,0 -3,8 1,9 5,4 6,-4 4,-11 0,-12 -4,-8! -4,-7! -5,-1! 6,-2",
    ],
    r"\phi": ["1,-6 -5,-4 -6,2 -2,7 4,6 6,1 4,-4 0,-6; 1,-12! -1,16"],
    r"\lambda": ["-6,-12 -3,-10 6,9; -1,-3! -7,9", "-6,-12 -3,-11 6,9; 0,-2! -7,9"],
    ":": ["0,-3 0,-2; 0,6 0,7"],
    ";": ["0,-3 0,-2; 1,6 0,9 -2,11"],
}

WAYS: dict[str, list[Way]] = {}
for _table in (
    _PRINT,
    _SCRIPT,
    _GREEK,
    {name: [Drawn(path) for path in paths] for name, paths in _DRAWN.items()},
):
    for _name, _ways in _table.items():
        WAYS.setdefault(_name, []).extend(_ways)
