"""Edits between sequences of tokens: few, and leading from one to the other."""

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from inktex.edits import edits

SEQUENCES = st.lists(st.sampled_from(["x", "y", "^", "{", "}"]), max_size=12)


@given(SEQUENCES, SEQUENCES)
def test_edits_lead_from_one_to_the_other_and_are_the_fewest(source: list[str], target: list[str]) -> None:
    found = edits(source, target)
    assert len(found) == Levenshtein.distance(source, target)
    changed = list(source)
    for edit in reversed(found):
        if edit.tag == "insert":
            changed.insert(edit.source, target[edit.target])
        elif edit.tag == "delete":
            del changed[edit.source]
        else:
            changed[edit.source] = target[edit.target]
    assert changed == target


def test_an_edit_names_both_places() -> None:
    (only,) = edits(["a", "b", "c"], ["a", "x", "c"])
    assert (only.tag, only.source, only.target) == ("replace", 1, 1)
