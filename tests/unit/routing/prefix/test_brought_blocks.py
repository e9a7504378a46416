import pytest

from bayplan.routing.prefix.block_hashes import chains_of
from bayplan.routing.prefix.brought_blocks import BroughtBlocks, brought_blocks
from bayplan.routing.requests.routed_request import Prompt, RoutedRequest

TAKEN = {
    "all blocks, the last one partial": (512, None, False, [7, 8, 9]),
    "full blocks": (512, None, True, [7, 8]),
    "the first ones": (512, 1, False, [7]),
    "halves": (256, None, False, [14, 15, 16, 17, 18]),
    "full halves": (256, None, True, [14, 15, 16, 17]),
    "the first halves": (256, 3, True, [14, 15, 16]),
    "pairs are named by their last": (1024, None, True, [8]),
    "a pair that is not full": (1024, None, False, [8, 9]),
    "threes": (1536, None, False, [9]),
}


def request(**fields):
    return RoutedRequest("r", model="m", prompt_tokens=1100, **fields)


@pytest.mark.parametrize(("size", "most", "full_only", "names"), TAKEN.values(), ids=TAKEN)
def test_names_are_taken_instead_of_hashes(size, most, full_only, names):
    made = request(notes={BroughtBlocks: BroughtBlocks(512, (7, 8, 9))})

    found = chains_of(made, size, most, full_only=full_only)

    assert (list(found.chains[0].hashes), found.total_blocks) == (names, len(names))


def test_names_of_parts_stay_numbers_of_64_bits():
    found = BroughtBlocks(512, (2**64 - 1,)).names_of(512, 16, None, full_only=True)

    assert len(set(found)) == 32
    assert max(found) < 2**64


def test_a_block_size_that_does_not_fit_is_hashed():
    made = request(notes={BroughtBlocks: BroughtBlocks(512, (7, 8, 9))}, prompts=(Prompt((1, 2, 3)),))

    assert chains_of(made, 3, None).total_blocks == 1


def test_a_request_with_a_body_brings_none():
    assert brought_blocks(request()) is None
