import pytest

from bayplan.routing.cost.prompt_work import work_of
from bayplan.routing.prefix.brought_blocks import BroughtBlocks
from bayplan.routing.requests.routed_request import Prompt, RoutedRequest

TEXT = b"abcd" * 100


def request(*prompts, **fields):
    tokens = sum(each.tokens for each in prompts)
    return RoutedRequest("r", model="m", prompts=prompts, prompt_tokens=tokens, **fields)


BLOCKS = {
    "text has a block for each 4 x 16 bytes": ((Prompt(text=TEXT),), [6]),
    "ids have a block for each 16": ((Prompt(tuple(range(40))),), [2]),
    "a prompt shorter than a block has none": ((Prompt(text=b"short"),), [0]),
    "each prompt has a chain": ((Prompt(text=TEXT), Prompt(tuple(range(16)))), [6, 1]),
    "no prompt": ((), []),
}


@pytest.mark.parametrize(("prompts", "sizes"), BLOCKS.values(), ids=BLOCKS)
def test_full_blocks_of_prompts(prompts, sizes):
    assert [chain.size for chain in work_of(request(*prompts), 16).chains] == sizes


def test_it_is_worked_out_once():
    made = request(Prompt(text=TEXT))

    assert work_of(made, 16) is work_of(made, 16)


@pytest.mark.parametrize(("block_tokens", "blocks"), [(512, 2), (64, 17), (1024, 1)])
def test_blocks_that_a_request_brings_along_are_cut_like_those_of_others(block_tokens, blocks):
    made = RoutedRequest("r", prompt_tokens=1100, notes={BroughtBlocks: BroughtBlocks(512, (7, 8, 9))})

    found = work_of(made, block_tokens)

    assert (found.chains[0].size, found.block_tokens, found.prompt_tokens) == (blocks, block_tokens, 1100)
