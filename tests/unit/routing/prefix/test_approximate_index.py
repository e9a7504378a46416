"""An LRU of blocks, kept as runs: it must not differ from one of single blocks."""

from collections import OrderedDict

from hypothesis import given, settings, strategies as st

from bayplan.routing.prefix.approximate_index import ApproximateIndex
from bayplan.routing.prefix.block_hashes import chain_of
from bayplan.routing.requests.routed_request import Prompt


def chain(*tokens):
    """A prompt with one token in each block."""
    return chain_of(Prompt(tokens), "m", "", 1)


def index(capacity, *prompts):
    made = ApproximateIndex(1, capacity)
    for time, tokens in enumerate(prompts):
        made.add(chain(*tokens), float(time))
    return made


def test_a_prompt_matches_from_its_first_block_on():
    made = index(9, (1, 2, 3))

    assert [made.matched(chain(*tokens)) for tokens in ((1, 2, 3, 4), (1, 2, 9), (2, 3), ())] == [3, 2, 0, 0]


def test_the_beginnings_of_prompts_stay_longest():
    made = index(4, (1, 2, 3), (7, 8))

    assert (made.matched(chain(1, 2, 3)), made.matched(chain(7, 8)), made.size) == (2, 2, 4)


def test_a_prompt_that_is_too_long():
    made = index(2, (5,), (1, 2, 3))

    assert (made.matched(chain(1, 2, 3)), made.matched(chain(5)), made.size) == (2, 0, 2)


def test_what_was_touched_lately():
    made = index(9, (1, 2, 3), (1, 2))

    assert [made.matched(chain(1, 2, 3), oldest) for oldest in (0.0, 1.0, 2.0)] == [3, 2, 0]


def test_an_empty_prompt_changes_nothing():
    made = index(9, (), (1,), ())

    assert made.size == 1


def test_a_smaller_capacity():
    made = index(9, (1, 2, 3), (4, 5))
    made.shrink(3)

    assert (made.matched(chain(1, 2, 3)), made.matched(chain(4, 5)), made.size) == (1, 2, 3)


def test_long_prompts_do_not_stay_in_memory_for_their_last_block():
    made, shared = ApproximateIndex(1, 10_000), tuple(range(1000))
    for question in range(50):
        made.add(chain(*shared, 5000 + question), 0.0)

    assert made.size == 1050
    assert sum(run.kept for run in made._runs.values()) < 1200


class SingleBlocks:
    """The definition: an LRU of single blocks."""

    def __init__(self, capacity):
        self.capacity, self.blocks = capacity, OrderedDict()

    def add(self, prompt):
        for block in reversed(prompt.hashes):
            self.blocks[block] = None
            self.blocks.move_to_end(block)
        while len(self.blocks) > self.capacity:
            self.blocks.popitem(last=False)

    def matched(self, prompt):
        return next((place for place, block in enumerate(prompt.hashes) if block not in self.blocks), prompt.size)


PROMPTS = st.lists(st.integers(0, 2), max_size=8)


@settings(max_examples=400)
@given(st.integers(1, 20), st.lists(PROMPTS, max_size=25), st.lists(PROMPTS, max_size=5))
def test_it_is_an_lru_of_single_blocks(capacity, added, asked):
    made, definition = ApproximateIndex(1, capacity), SingleBlocks(capacity)
    for tokens in added:
        made.add(chain(*tokens), 0.0)
        definition.add(chain(*tokens))
        assert made.size == len(definition.blocks)
        for other in (*added, *asked):
            assert made.matched(chain(*other)) == definition.matched(chain(*other))
