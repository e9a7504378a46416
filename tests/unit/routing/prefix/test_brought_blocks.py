import pytest

from bayplan.routing.prefix.block_hashes import chains_of
from bayplan.routing.prefix.brought_blocks import BroughtBlocks, brought_blocks
from bayplan.routing.requests.routed_request import Prompt, RoutedRequest

TAKEN = {
    "all blocks, the last one partial": (512, None, False, (7, 8, 9)),
    "full blocks": (512, None, True, (7, 8)),
    "the first ones": (512, 1, False, (7,)),
}


def request(**fields):
    return RoutedRequest("r", model="m", prompt_tokens=1100, **fields)


@pytest.mark.parametrize(("size", "most", "full_only", "names"), TAKEN.values(), ids=TAKEN)
def test_names_are_taken_instead_of_hashes(size, most, full_only, names):
    made = request(notes={BroughtBlocks: BroughtBlocks(512, (7, 8, 9))})

    found = chains_of(made, size, most, full_only=full_only)

    assert (found.chains[0].hashes, found.total_blocks) == (names, len(names))


def test_another_block_size_is_hashed():
    made = request(notes={BroughtBlocks: BroughtBlocks(512, (7, 8, 9))}, prompts=(Prompt((1, 2, 3)),))

    assert chains_of(made, 1, None).total_blocks == 3


def test_a_request_with_a_body_brings_none():
    assert brought_blocks(request()) is None
