"""MathML as it stands in an ink file in, one plain form of it out: no prefixes, no blanks, ids as `xml:id`.

Reading the plain form gives the plain form again, so that what is written reads back equal.
"""

from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from inktex.ink.errors import MAX_DEPTH, InkError
from inktex.ink.textfile import XML_ID

_XML = "{http://www.w3.org/XML/1998/namespace}"
_MATHML_NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def mathml_text(annotation: Element) -> str | None:
    """Return the MathML inside an `<annotationXML>` as text, or None where there is none."""
    children = list(annotation)
    if not children:
        return None
    if children[0].tag == "math":
        children = list(children[0])
    parts = [f'<math xmlns="{_MATHML_NAMESPACE}">']
    # A stack instead of recursion; a text on it is an end tag that waits for its children.
    waiting: list[Element | str] = list(reversed(children))
    depth = 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            depth -= 1
            continue
        depth += 1
        if depth > MAX_DEPTH:
            raise InkError(f"elements nested deeper than {MAX_DEPTH}", place="MathML")
        tail = (item.tail or "").strip()
        parts.append(f"<{item.tag}{_attributes(item)}>{escape((item.text or '').strip())}")
        waiting.append(f"</{item.tag}>{escape(tail)}")
        waiting.extend(reversed(item))
    parts.append("</math>")
    return "".join(parts)


def _attributes(element: Element) -> str:
    texts = []
    for name, value in element.items():
        plain = "xml:id" if name == XML_ID or (name == "id" and XML_ID not in element.attrib) else name
        if plain.startswith(_XML):
            plain = f"xml:{plain.removeprefix(_XML)}"
        if "{" not in plain:
            texts.append(f" {plain}={quoteattr(value)}")
    return "".join(texts)
