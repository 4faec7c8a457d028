"""The label graph: nodes named by their path, the organisers' counts, and .lg files for their tool."""

import csv
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inktex.latex import Grammar, Layout, Vocabulary, normalize, parse_layout
from inktex.latex.labelgraph import graph_difference, stroke_graph, symbol_graph, to_lg, written_graph

TOKENS = r"x 1 + ( ) \sin \int \sum _ ^ { } \frac \sqrt [ ]"
GRAMMAR = Grammar(Vocabulary(("<eol>", *TOKENS.split())))


def graph(latex: str):
    return symbol_graph(parse_layout(normalize(latex)))


def errors(truth: str, answer: str) -> tuple[int, int]:
    found = graph_difference(graph(truth), graph(answer))
    return found.nodes, found.edges


def with_strokes(latex: str, strokes: list[tuple[int, ...]]) -> Layout:
    following = iter(strokes)
    return parse_layout(normalize(latex)).changed(lambda node: replace(node, strokes=next(following)))


def test_nodes_are_named_by_their_path_from_the_first_symbol() -> None:
    assert graph("xy_1").nodes == {"O": "x", "OR": "y", "ORSub": "1"}
    assert graph(r"\frac{a}{b\sqrt{c}}").nodes == {
        "O": "-",
        "OAbove": "a",
        "OBelow": "b",
        "OBelowR": r"\sqrt",
        "OBelowRInside": "c",
    }


def test_edges_go_from_a_symbol_to_what_hangs_on_it() -> None:
    assert graph("x^2+y").edges == {("O", "OSup"): "Sup", ("O", "OR"): "Right", ("OR", "ORR"): "Right"}
    assert graph(r"\sum_i").edges == {("O", "OSub"): "Sub"}


def test_a_radicand_hangs_on_its_root_with_its_first_two_symbols_unless_the_root_has_an_index() -> None:
    def inside(latex: str) -> set[str]:
        return {child for (_, child), label in graph(latex).edges.items() if label == "Inside"}

    assert inside(r"\sqrt{abc}") == {"OInside", "OInsideR"}
    assert inside(r"\sqrt[3]{abc}") == inside(r"\sqrt{a}") == {"OInside"}


@pytest.mark.parametrize(
    ("truth", "answer", "expected"),
    [
        ("x+1", "x+1", (0, 0)),
        ("x+1", "y+1", (1, 0)),  # a wrong symbol
        ("x^2", "x_2", (2, 2)),  # in a wrong place: the node and the edge here, and there
        ("1000", "10", (2, 2)),  # missing at the end
        ("-x", "x", (2, 1)),  # missing at the start: all others stand one place further left
        (r"-\frac{a}{b}", r"\frac{-a}{b}", (6, 6)),  # the bar of a fraction is a minus: `O` is right
    ],
)
def test_errors_are_labels_that_differ(truth: str, answer: str, expected: tuple[int, int]) -> None:
    assert errors(truth, answer) == expected
    assert errors(answer, truth) == expected


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_only_equal_graphs_have_no_errors(draw_expression, one: int, other: int) -> None:
    first, second = (parse_layout(draw_expression(GRAMMAR, random.Random(seed), 14)) for seed in (one, other))
    found = graph_difference(symbol_graph(first), symbol_graph(second))
    assert (found.labels == 0) == (symbol_graph(first) == symbol_graph(second))
    assert found.same_structure or found.edges or found.nodes
    assert graph_difference(symbol_graph(first), symbol_graph(first)).labels == 0


def test_strokes_carry_the_label_of_their_symbol_and_the_relations_between_symbols() -> None:
    found = stroke_graph(written_graph(with_strokes("x_1", [(0, 2), (1,)])))
    assert found.nodes == {0: "x", 2: "x", 1: "1"}
    assert found.edges == {(0, 2): "x", (2, 0): "x", (0, 1): "Sub", (2, 1): "Sub"}


def test_limits_of_a_sum_are_written_above_and_below() -> None:
    found = written_graph(with_strokes(r"\sum_{i}^{n}", [(0,), (1,), (2,)]))
    assert sorted(found.relations.values()) == ["Above", "Below"]


def test_a_symbol_without_strokes_is_left_out_with_its_relations() -> None:
    found = written_graph(with_strokes("xyz", [(0,), (), (1,)]))
    assert set(found.symbols.values()) == {"x", "z"}
    assert not found.relations


def test_an_lg_file_lists_objects_and_relations() -> None:
    text = to_lg(written_graph(with_strokes(r"\frac{1,}{x}<", [(1,), (0,), (4,), (2, 3), (5,)])), "some")
    assert text.splitlines() == [
        "# IUD, some",
        "# Objects(5):",
        "O, sym0, 1, 1.0, 0",
        "O, sym1, -, 1.0, 1",
        "O, sym2, x, 1.0, 2, 3",
        "O, sym3, COMMA, 1.0, 4",
        r"O, sym4, \lt, 1.0, 5",
        "",
        "# Relations from SRT:",
        "R, sym1, sym4, Right, 1.0",
        "R, sym1, sym0, Above, 1.0",
        "R, sym0, sym3, Right, 1.0",
        "R, sym1, sym2, Below, 1.0",
    ]


@pytest.mark.crohme
def test_counts_are_those_of_the_organisers_tool(crohme) -> None:
    """Of the 986 test expressions of 2014, each with what a system answered and the tool's counts."""
    counts = crohme.folder.parent / "metric" / "symlg_p2_test2014.tsv"
    if not counts.exists():
        pytest.skip(f"the organisers' counts are not at hand: {counts.name} in a folder beside CROHME's")
    truths = crohme.captions("test2014")
    with counts.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    differing = []
    for row in rows:
        truth, answer = (
            symbol_graph(parse_layout(tokens))
            for tokens in (truths[row["stem"]], tuple(row["prediction"].split()))
        )
        found = graph_difference(truth, answer)
        theirs = tuple(int(row[key]) for key in ("node_errors", "edge_errors", "structure_right", "nodes"))
        ours = (found.nodes, found.edges, int(found.same_structure), len({*truth.nodes, *answer.nodes}))
        if ours != theirs:
            differing.append((row["stem"], ours, theirs))
    assert len(rows) == 986
    assert not differing


def test_cells_of_a_matrix_count():
    one, other, moved = (
        symbol_graph(parse_layout(normalize(rf"\begin{{pmatrix}} {cells} \end{{pmatrix}}")))
        for cells in (r"a & b \\ c & d", r"a & b \\ c & e", r"a & c \\ b & d")
    )
    assert graph_difference(one, one).labels == 0
    assert graph_difference(one, other).labels == 1
    assert graph_difference(one, other).same_structure
    assert graph_difference(one, moved).labels == 2
