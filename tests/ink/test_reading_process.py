"""What the process that reads uploads gives back, without the process."""

import attacks
from inktex.ink import Ink, InkError, LimitError, Limits
from inktex.ink.sandbox import Job, _found


def test_a_file_has_only_so_many_inks() -> None:
    archive = attacks.zip_of({f"{number}.inkml": attacks.GOOD for number in range(5)})
    assert [type(item) for _, item in _found(Job(archive, "a.zip", inks=5))] == [Ink] * 5
    [(name, error)] = _found(Job(archive, "a.zip", inks=4))
    assert name == "a.zip"
    assert isinstance(error, LimitError)
    assert str(error) == "a.zip: more than 4 inks in one file"


def test_limits_and_names_reach_the_reader() -> None:
    [(name, error)] = _found(Job(attacks.GOOD, "mine", Limits(points=1)))
    assert name == "mine"
    assert isinstance(error, InkError)
    assert str(error) == "mine: 2 points, more than the limit of 1"


def test_too_little_memory_is_an_error_of_the_file(monkeypatch) -> None:
    def hungry(*given, **options):
        raise MemoryError

    monkeypatch.setattr("inktex.ink.sandbox.read_all", hungry)
    [(_, error)] = _found(Job(attacks.GOOD, "mine"))
    assert str(error) == "mine: takes more memory than one file may"
