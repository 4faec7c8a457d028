"""Builds the layout tree from an ink file's own annotation: its MathML and its segmentation.

Reads the MathML text and the segmented symbols, given as (label, strokes, id of the MathML leaf), into the
same `Layout` that `parse_layout` builds from LaTeX, with the strokes attached to its symbols.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from xml.etree.ElementTree import Element

from defusedxml import ElementTree

from . import words as known
from .layout import Layout, Node, Row
from .tokens import MAX_DEPTH, LatexError

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
SymbolStrokes = tuple[str, Sequence[int], str | None]
Written = dict[Element, tuple[str, tuple[int, ...]]]  # label and strokes of a leaf

_ROWS = {"mrow", "math", "mstyle", "annotationXML", "semantics", "mpadded", "mphantom", "merror", "mtd"}
_LEAVES = {"mi", "mn", "mo", "mtext", "ms"}
_SCRIPTED = {
    "msub": ("sub",),
    "msup": ("sup",),
    "msubsup": ("sub", "sup"),
    "munder": ("sub",),
    "mover": ("sup",),
    "munderover": ("sub", "sup"),
}


def layout_from_mathml(mathml: str, symbols: Sequence[SymbolStrokes] = ()) -> Layout:
    """Build the layout; its symbols carry their strokes and their places in `layout.tokens()`.

    LatexError if the MathML is not well-formed or uses an element that has no place in a layout.
    """
    try:
        root = ElementTree.fromstring(mathml)
    except (ElementTree.ParseError, ValueError) as error:
        raise LatexError(f"the MathML cannot be read: {error}") from None
    return Layout(_row([root], _written(root, symbols), 0)).numbered()


def _written(root: Element, symbols: Sequence[SymbolStrokes]) -> Written:
    """Join leaves and symbols by id: symbols of one leaf are its pieces, leaves of one id take turns."""
    leaves: dict[str | None, list[Element]] = {}
    for element in root.iter():
        leaves.setdefault(element.get(XML_ID), []).append(element)
    written: Written = {}
    seen: Counter[str] = Counter()
    for label, strokes, identifier in symbols:
        if identifier is None or identifier not in leaves:
            continue
        own = leaves[identifier]
        leaf = own[min(seen[identifier], len(own) - 1)]
        seen[identifier] += 1
        first, pieces = written.get(leaf, (label.strip(), ()))
        written[leaf] = first, (*pieces, *(stroke for stroke in strokes if stroke not in pieces))
    return written


def _flat(elements: Sequence[Element]) -> Iterator[Element]:
    """The elements, mere rows opened; rows nest as deep as an expression is long, so without recursion."""
    waiting = list(reversed(elements))
    while waiting:
        element = waiting.pop()
        if _name(element) in _ROWS:
            waiting.extend(reversed(element))
        else:
            yield element


def _row(elements: Sequence[Element], written: Written, depth: int) -> Row:
    if depth > MAX_DEPTH:
        raise LatexError(f"the MathML is nested more than {MAX_DEPTH} deep")
    nodes = (node for element in _flat(elements) for node in _nodes(element, written, depth))
    return tuple(_with_ellipses(nodes))


def _with_ellipses(nodes: Iterable[Node]) -> Iterator[Node]:
    """Some files take the dots of an ellipsis for three symbols: join them."""
    for is_dot, run in groupby(nodes, key=lambda node: node == Node(".")):
        dots = list(run)
        if is_dot and len(dots) == 3:
            yield Node(r"\ldots", strokes=tuple(stroke for dot in dots for stroke in dot.strokes))
        else:
            yield from dots


def _nodes(element: Element, written: Written, depth: int) -> Row:
    name = _name(element)
    _, strokes = written.get(element, ("", ()))

    def child(place: int) -> Row:
        return _row(element[place : place + 1], written, depth + 1)

    if name in _LEAVES:
        return (Node(_label(element, written), strokes=strokes),)
    if name == "mfrac":
        return (Node(r"\frac", above=child(0), below=child(1), strokes=strokes),)
    if name == "msqrt":
        return (Node(r"\sqrt", inside=_row(list(element), written, depth + 1), strokes=strokes),)
    if name == "mroot":
        return (Node(r"\sqrt", inside=child(0), above=child(1), strokes=strokes),)
    if name in _SCRIPTED:
        # A script on a longer base, as on `( a + b )`, stands at the last symbol of it.
        *before, base = child(0) or (Node(""),)
        for place, kind in enumerate(_SCRIPTED[name], start=1):
            base = replace(base, **{kind: getattr(base, kind) + child(place)})
        return (*before, base)
    if name == "mtable" and len(element):
        lines = (line for line in element if _name(line) in ("mtr", "mlabeledtr"))
        cells = tuple(tuple(_row([cell], written, depth + 1) for cell in line) for line in lines)
        return (Node(r"\begin{matrix}", cells=cells, strokes=strokes),)
    raise LatexError(f"the MathML element <{name}> has no place in a layout")


def _label(leaf: Element, written: Written) -> str:
    """The symbol of a leaf: its text, if that is a word in any of the spellings in use, else its symbol."""
    text = (leaf.text or "").strip()
    if text in known.MATHML_SPELLINGS:
        return known.MATHML_SPELLINGS[text]
    is_symbol = len(text) == 1 and text.isascii() and text.isprintable() and text not in "?{}"
    label = text if is_symbol or text.startswith("\\") else written.get(leaf, (text, ()))[0]
    return known.SYNONYMS.get(label, (label,))[0]


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
