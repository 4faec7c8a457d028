"""Reduces the MathML of an ink file to one plain form: no prefixes, no blanks, ids as `xml:id`.

The plain form of the plain form is itself, so that what is written reads back equal.
"""

from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from inktex.ink.xmlfile import XML_ID

_XML = "{http://www.w3.org/XML/1998/namespace}"
_OPENING = '<math xmlns="http://www.w3.org/1998/Math/MathML"'


def mathml_text(annotation: Element) -> str | None:
    """Return the MathML inside an `<annotationXML>` as text, or None where there is none."""
    children = list(annotation)
    if not children:
        return None
    parts: list[str] = []
    # A stack instead of recursion; a text on it is an end tag that waits for the children before it.
    waiting: list[Element | str] = []
    if children[0].tag == "math":
        math = children[0]
        parts.append(f"{_OPENING}{_attributes(math)}>{xml_text((math.text or '').strip())}")
        children = list(math)
    else:
        parts.append(f"{_OPENING}>")
    waiting.extend(reversed(children))
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(f"<{item.tag}{_attributes(item)}>{xml_text((item.text or '').strip())}")
        waiting.append(f"</{item.tag}>{xml_text((item.tail or '').strip())}")
        waiting.extend(reversed(item))
    parts.append("</math>")
    return "".join(parts)


def xml_text(text: str) -> str:
    """Escape text between tags; a carriage return would otherwise come back as a line feed."""
    return escape(text, {"\r": "&#13;"})


def _attributes(element: Element) -> str:
    texts = []
    for name, value in element.items():
        plain = "xml:id" if name == XML_ID or (name == "id" and XML_ID not in element.attrib) else name
        if plain.startswith(_XML):
            plain = f"xml:{plain.removeprefix(_XML)}"
        if "{" not in plain:  # attributes of other namespaces mean nothing to MathML
            texts.append(f" {plain}={quoteattr(value)}")
    return "".join(texts)
