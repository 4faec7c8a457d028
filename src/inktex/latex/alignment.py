"""Which strokes each token of a caption was written with.

The tokens of a caption are matched with the layout from the ink file (`layout_from_mathml`), which knows the
strokes of its symbols. The two trees mostly agree; where they do not, symbols are paired by label and order.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from .layout import Layout, Node, parse_layout

# The 101 classes of CROHME do not tell these apart, though captions do.
CROHME_CLASSES = {r"\cdot": ".", r"\cdots": r"\ldots", "'": r"\prime"}


def token_strokes(tokens: Sequence[str], layout: Layout) -> tuple[tuple[int, ...], ...]:
    """The strokes of every token, in whatever order the scripts of the tokens stand.

    A token that the layout has no symbol for gets (), like one that needs no ink.
    """
    caption = parse_layout(tokens)
    strokes: list[tuple[int, ...]] = [()] * len(tokens)
    ours = list(caption.symbols())
    for turned in (False, True):
        candidate = _with_roots_turned(layout) if turned else layout
        if candidate == caption or candidate.renamed(CROHME_CLASSES) == caption.renamed(CROHME_CLASSES):
            pairs = [(node, [other]) for node, other in zip(ours, candidate.symbols(), strict=True)]
            break
    else:
        pairs = _paired_by_label(ours, list(layout.symbols()))
    for node, others in pairs:
        assert node.token is not None
        strokes[node.token] = tuple(stroke for other in others for stroke in other.strokes)
    return tuple(strokes)


def _with_roots_turned(layout: Layout) -> Layout:
    """Some files have the index of a root for its radicand and the other way round."""
    return layout.changed(
        lambda node: (
            replace(node, above=node.inside, inside=node.above) if node.above and node.inside else node
        )
    )


def _paired_by_label(ours: list[Node], theirs: list[Node]) -> list[tuple[Node, list[Node]]]:
    """Pair what stands in the same order, then what only has the same label, then `\\tan` with `t g`."""
    classes = CROHME_CLASSES | {r"\frac": "-"}
    our_labels = [classes.get(node.label, node.label) for node in ours]
    their_labels = [classes.get(node.label, node.label) for node in theirs]
    blocks = SequenceMatcher(None, our_labels, their_labels, autojunk=False).get_opcodes()
    partner: dict[int, list[int]] = {}
    free = set(range(len(theirs)))
    for tag, our_start, our_end, their_start, _ in blocks:
        if tag == "equal":
            for offset in range(our_end - our_start):
                partner[our_start + offset] = [their_start + offset]
                free.discard(their_start + offset)
    for mine in (index for index in range(len(ours)) if index not in partner):
        same = [index for index in sorted(free) if their_labels[index] == our_labels[mine]]
        if same:
            partner[mine] = same[:1]
            free.discard(same[0])
    for tag, our_start, our_end, their_start, their_end in blocks:
        if tag == "replace" and our_end - our_start == 1 and our_start not in partner:
            pieces = [index for index in range(their_start, their_end) if index in free]
            spelt = our_labels[our_start][1:].isalpha() and all(
                their_labels[piece].isalpha() for piece in pieces
            )
            if spelt or len(pieces) == 1:
                partner[our_start] = pieces
    return [(ours[mine], [theirs[index] for index in indices]) for mine, indices in sorted(partner.items())]
