"""The five spatial relations: found in a data set, with the step that writes each of them."""

import re

import figures
import pytest

from inktex.report.figures import RELATIONS, clearest_looks, relation_looks, relations_picture
from known_readings import looking_at, read_rightly, written


@pytest.mark.parametrize(
    ("latex", "relation", "token"),
    [
        ("a+b", "horizontal", "+"),
        (r"\frac{a}{b}", "vertical", r"\frac"),
        ("a_i", "subscript", "_"),
        ("a^i", "superscript", "^"),
        (r"\sqrt{a}", "inside", r"\sqrt"),
    ],
)
def test_each_relation_is_found_with_the_token_that_writes_it(latex, relation, token):
    example = written(latex)
    (look,) = relation_looks(example, read_rightly(example))
    assert look.relation == relation
    assert example.tokens[look.step] == token


def test_a_script_mark_that_looks_at_base_and_script_is_seen_to_do_so():
    example = written("a^i+1")
    base, _, _, script, *_ = example.strokes_of
    looks = [strokes or (*base, *script) for strokes in example.strokes_of]
    found = {
        look.relation: look
        for look in relation_looks(example, looking_at(example.ink, example.tokens, looks))
    }
    look = found["superscript"]
    assert set(look.base) == set(base)
    assert set(look.part) == set(script)
    assert look.share > 0.85  # the dot of the i shares an annotation with its neighbour
    assert min(look.on_base, look.on_part) > 0.2


def test_wrong_answers_tell_nothing_about_relations():
    example = written("a+b")
    assert not list(relation_looks(example, looking_at(example.ink, ("a",), [(0,)])))


def test_the_figure_has_the_clearest_example_of_each_relation():
    examples = [written(t) for t in ("a+b", r"\frac{a}{b}", "a_i", "a^i", r"\sqrt{a}", r"\frac{x+1}{x_1^2}")]
    looks = [look for example in examples for look in relation_looks(example, read_rightly(example))]
    chosen = clearest_looks(looks)
    assert tuple(chosen) == RELATIONS
    svg = relations_picture(list(chosen.values())).to_svg()
    for relation in RELATIONS:
        assert f'data-relation="{relation}"' in svg


def test_the_documentation_says_where_each_relation_is_read_on_average():
    example = written(r"\sqrt{a}+b")
    text = figures.relations_text(list(relation_looks(example, read_rightly(example))))
    rows = {row[1]: row[2:6] for row in (re.split(r" *\| *", line) for line in text.splitlines()[2:])}
    assert set(rows) == {"horizontal", "inside"}
    assert rows["inside"][0] == "1"
    assert int(rows["inside"][1].rstrip(" %")) >= 98  # `\sqrt` looks at the root
