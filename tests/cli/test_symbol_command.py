"""`inktex symbol`: the likeliest commands for a drawing, one line each."""

import json

from inktex.recognizer import Recognizer


def test_the_likeliest_symbols_are_listed(inktex, inks, model_path):
    result = inktex("symbol", inks / "d.inkml", "--top", "3")
    assert result.exit_code == 0
    expected = Recognizer(model_path).symbol(inks / "d.inkml", top=3)
    assert result.stdout.splitlines() == [f"{each.probability:.3f}\t{each.latex}" for each in expected]


def test_several_drawings_as_json_and_one_that_cannot_be_read(inktex, inks):
    result = inktex("symbol", inks, "--json")
    assert result.exit_code == 1
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["source"].rpartition("/")[2] for row in rows] == ["a.inkml", "b.json", "d.inkml"]
    assert all(0 < len(row["symbols"]) <= 10 for row in rows)
    assert "c.inkml" in result.stderr


def test_an_unknown_model_is_wrong_use(inktex, inks):
    assert inktex("symbol", inks / "d.inkml", "--model", "nobody").exit_code == 2
