import pytest

from bayplan.sim.engine.batching.decoders import Decoders
from bayplan.sim.engine.batching.sequence import Sequence

BLOCK = 4


def decoding(prompt_tokens, output_tokens=100):
    sequence = Sequence(prompt_tokens, output_tokens)
    sequence.generated = 1
    return sequence


def decoders_of(*prompts, step=0):
    decoders = Decoders(BLOCK)
    for prompt in prompts:
        decoders.join(decoding(prompt), step)
    return decoders


@pytest.mark.parametrize(
    ("prompt", "needs"),
    {
        "its prompt fills its blocks: at once, then every four steps": (8, [1, 0, 0, 0, 1]),
        "one token is left": (7, [0, 1, 0, 0, 0, 1]),
        "three are left": (5, [0, 0, 0, 1, 0, 0, 0, 1]),
    }.values(),
)
def test_when_a_decoder_needs_a_block(prompt, needs):
    decoders = decoders_of(prompt, step=6)

    assert [decoders.blocks_needed(6 + step) for step in range(len(needs))] == needs


def test_many_steps_need_the_sum_of_single_ones():
    decoders = decoders_of(5, 6, 8, 8, 11, step=3)

    for step in range(3, 9):
        for steps in range(14):
            single = sum(decoders.blocks_needed(step + each) for each in range(steps))
            assert decoders.blocks_needed(step, steps) == single


def test_steps_end_where_blocks_run_out():
    decoders = decoders_of(5, 6, 8, 8, 11)

    for blocks in range(20):
        done = decoders.steps_within(2, 15, blocks)
        assert decoders.blocks_needed(2, done) <= blocks
        assert done == 15 or decoders.blocks_needed(2, done + 1) > blocks


def test_contexts_grow_with_every_step():
    decoders = decoders_of(5, 7)
    assert decoders.context_tokens == 6 + 8

    decoders.advance(10)
    assert decoders.context_tokens == 16 + 18


def test_they_finish_in_order():
    decoders = Decoders(BLOCK)
    long, short, equal = decoding(5, 9), decoding(5, 3), decoding(9, 3)
    for sequence in (long, short, equal):
        decoders.join(sequence, 10)

    assert decoders.next_finish() == 12
    assert decoders.finished(11) == []
    decoders.advance(2)
    assert decoders.finished(12) == [short, equal]
    assert short.generated == 3
    assert decoders.context_tokens == 5 + 3
    assert decoders.next_finish() == 18


def test_one_that_leaves_early_keeps_what_it_has():
    decoders = Decoders(BLOCK)
    first, other = decoding(5, 3), decoding(6, 50)
    decoders.join(first, 0)
    decoders.join(other, 0)
    decoders.advance(1)
    decoders.leave(first, 1)

    assert first.generated == 2
    assert (decoders.number, decoders.context_tokens) == (1, 8)
    assert decoders.next_finish() == 49
    assert [decoders.blocks_needed(step) for step in range(1, 4)] == [0, 1, 0]
