"""No exception but `InkError` ever leaves a reader, whatever happened to the file.

A short run over the files of `mutations.py`; `make fuzz-readers` is the long one. A failure names the number
of the case, and the same number always makes the same file.
"""

import warnings

import mutations
import pytest

CASES = 250


@pytest.mark.parametrize("kind", mutations.KINDS)
def test_from_mutated_files_only_ink_errors_come(kind: str) -> None:
    readable = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning of numpy would be a hole as well
        for number in range(CASES):
            data, limits = mutations.case(kind, number)
            try:
                readable += mutations.check(data, limits)
            except Exception as error:
                raise AssertionError(f"case {number} of {kind}: {error!r} from {data[:3000]!r}") from error
    # Damage that leaves nothing readable, or hurts nothing, would test nothing.
    assert 0 < readable < CASES


@pytest.mark.parametrize("packing", mutations.ARCHIVES)
def test_every_kind_of_archive_is_a_seed_that_is_understood(packing: str) -> None:
    """Undamaged, each gives its inks or says why not, so damage is done to something that works."""
    data = mutations.ARCHIVES[packing](mutations.samples.jiix())
    refused = packing in ("zip, deeper", "tar in zip", "gzip in gzip")
    if packing in ("zip, bzip2", "zip, lzma", "zip, encrypted") or refused:
        return
    assert mutations.check(data, mutations.Limits())


def test_seeds_reach_the_limits_and_pass_them() -> None:
    seeds = mutations.at_the_limits(mutations.TIGHT)
    within, over = seeds[: len(seeds) // 2], seeds[len(seeds) // 2 :]
    assert [mutations.check(seed, mutations.TIGHT) for seed in within] == [True] * len(within)
    for seed in over:
        items = [item for _, item in mutations.read_all(seed, limits=mutations.TIGHT)]
        assert any(isinstance(item, mutations.InkError) for item in items), seed[:80]
