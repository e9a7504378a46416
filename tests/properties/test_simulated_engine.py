"""The simulated engine: it equals a plain one, loses no block, and is fair."""

from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from bayplan.sim.engine.batching.sequence import Sequence, State
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.engine.batching.timing import Timing
from properties.plain_engine import PlainEngine, PlainRequest

TIMING = Timing(base_s=1.0, prefill_s=0.25, position_s=2**-8, context_s=2**-6, adapter_load_s=3.0)
"""Powers of two: sums in any order are exact, so that ties of two engines are the same ties."""
BLOCK = 4


@dataclass(frozen=True)
class Arrival:
    """One request; documents are prompts that begin alike."""

    after_s: float
    document: str
    prompt_tokens: int
    output_tokens: int
    adapter: str | None
    aborted_after_s: float | None

    @property
    def blocks(self):
        """The first eight blocks belong to the document, the others to the request's length alone."""
        own = f"{self.document}/{self.prompt_tokens}"
        number = self.prompt_tokens // BLOCK
        return [f"{self.document if index < 8 else own}-{index}-{self.adapter}" for index in range(number)]


seconds = st.integers(0, 60).map(lambda quarters: quarters / 4 + 2**-10)
arrivals = st.builds(
    Arrival,
    after_s=seconds,
    document=st.sampled_from("abc"),
    prompt_tokens=st.integers(1, 60),
    output_tokens=st.integers(1, 40),
    adapter=st.sampled_from([None, None, "x", "y", "z"]),
    aborted_after_s=st.none() | seconds,
)
limits = st.builds(
    Limits,
    blocks=st.integers(25, 60),
    block_tokens=st.just(BLOCK),
    step_tokens=st.sampled_from([8, 24, 64]),
    sequences=st.integers(1, 8),
    adapters=st.integers(1, 2),
)


def story(work):
    """What happens when: (time, what, index), aborts after arrivals of the same time."""
    now_s, found = 0.0, []
    for index, arrival in enumerate(work):
        now_s += arrival.after_s
        found.append((now_s, 0, index))
        if arrival.aborted_after_s is not None:
            found.append((now_s + arrival.aborted_after_s, 1, index))
    return sorted(found)


def whole(pool):
    """Every block is in one state."""
    assert pool.free >= 0
    assert pool.free + pool.private + pool.pinned + pool.kept == pool.capacity
    assert pool.in_use + pool.available == pool.capacity
    assert pool.private >= 0


def play(served, work, *, every_step=False):
    sequences = [Sequence(a.prompt_tokens, a.output_tokens, a.blocks, a.adapter) for a in work]
    for time_s, what, index in story(work):
        while every_step and (at_s := served.next_step_s()) is not None and at_s <= time_s:
            served.advance(at_s)
            whole(served.pool)
        served.advance(time_s)
        if what:
            served.abort(sequences[index])
        else:
            served.submit(sequences[index], time_s)
        whole(served.pool)
    while (at_s := served.next_step_s() if every_step else served.next_event_s()) is not None:
        served.advance(at_s)
        whole(served.pool)
    return sequences


def play_plain(served, work):
    requests = [PlainRequest(a.prompt_tokens, a.output_tokens, a.blocks, a.adapter) for a in work]
    for time_s, what, index in story(work):
        served.run_until(time_s)
        if what:
            served.abort(requests[index])
        else:
            served.submit(requests[index], time_s)
    served.run_until(float("inf"))
    return requests


TOLD = ("admitted_s", "first_token_s", "finished_s", "cached_tokens")


def times(requests):
    return [[getattr(each, name) for name in TOLD] for each in requests]


@given(limits, st.lists(arrivals, max_size=12))
def test_it_equals_the_plain_engine(limits, work):
    served = SimulatedEngine(limits, TIMING)
    plain = PlainEngine(limits, TIMING)

    assert times(play(served, work)) == times(play_plain(plain, work))
    assert served.pool.kept == len(plain.kept)


@given(limits, st.lists(arrivals, max_size=12))
def test_how_often_one_looks_changes_nothing(limits, work):
    leaps, steps = SimulatedEngine(limits, TIMING), SimulatedEngine(limits, TIMING)

    assert times(play(leaps, work)) == times(play(steps, work, every_step=True))
    assert (leaps.step, leaps.generated_tokens) == (steps.step, steps.generated_tokens)


@given(limits, st.lists(arrivals, max_size=12))
def test_when_all_is_over_no_block_is_in_use(limits, work):
    served = SimulatedEngine(limits, TIMING)
    sequences = play(served, work)

    assert (served.pool.in_use, served.pool.private, served.pool.pinned) == (0, 0, 0)
    assert (len(served.running), len(served.waiting), served.adapters.in_use) == (0, 0, ())
    for sequence, arrival in zip(sequences, work, strict=True):
        if sequence.state is State.FINISHED:
            assert sequence.generated == arrival.output_tokens
        else:
            assert arrival.aborted_after_s is not None


@given(limits, st.lists(arrivals, max_size=12))
def test_admission_is_first_come_first_served(limits, work):
    """Only a request that waits for a slot of its adapter is overtaken."""
    sequences = play(SimulatedEngine(limits, TIMING), work)
    plain = [each for each in sequences if each.adapter is None and each.admitted_s is not None]
    admitted = [each.admitted_s for each in plain]

    assert admitted == sorted(admitted)


@given(st.integers(1, 90), st.integers(0, 22), st.sampled_from([8, 24, 64]))
def test_a_hit_saves_exactly_the_prefill_of_its_tokens(prompt_tokens, shared, step_tokens):
    """Time to first token = steps x base + the cost of the tokens that were not found."""
    served = SimulatedEngine(Limits(100, BLOCK, step_tokens, 8), TIMING)
    before = Sequence(shared * BLOCK + 1, 1, range(shared))
    request = Sequence(prompt_tokens, 1, [*range(min(shared, prompt_tokens // BLOCK))])
    served.submit(before, 0.0)
    served.advance(1000.0)
    served.submit(request, 1000.0)
    served.advance(2000.0)

    cached = min(shared, (prompt_tokens - 1) // BLOCK) * BLOCK
    steps = -(-(prompt_tokens - cached) // step_tokens)
    assert request.cached_tokens == cached
    assert request.first_token_s == 1000.0 + steps * TIMING.base_s + TIMING.prefill(cached, prompt_tokens)


@given(st.integers(1, 80), st.integers(1, 80), st.sampled_from([8, 24, 64]), st.lists(arrivals, max_size=6))
def test_a_longer_prompt_never_has_its_first_token_earlier(short, more, step_tokens, work):
    """Beside equal other work, while there is room: waiting for blocks can spare a prompt steps shared with others."""

    def first_token(tokens):
        served = SimulatedEngine(Limits(400, BLOCK, step_tokens, 8), TIMING)
        request = Sequence(tokens, 1)
        for arrival in work:
            served.submit(Sequence(arrival.prompt_tokens, arrival.output_tokens, arrival.blocks), 0.0)
        served.submit(request, 0.0)
        while (at_s := served.next_event_s()) is not None:
            served.advance(at_s)
        return request.first_token_s

    assert first_token(short) <= first_token(short + more)


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=20))
def test_what_is_kept_is_closed_under_prefixes(prompts):
    """A block without those before it could never be hit, and would only take room."""
    served = SimulatedEngine(Limits(9, BLOCK, 64, 3), TIMING)
    seen = set()
    for number, prompt in enumerate(prompts):
        chain = [tuple(prompt[: end + 1]) for end in range(len(prompt))]
        seen.update(chain)
        served.advance(number * 1.75)
        served.submit(Sequence(len(prompt) * BLOCK, 3, chain), number * 1.75)
        there = {block for block in seen if served.pool.count_kept([block])}
        pinned = {block for block in seen if served.pool.match([block]) and block not in there}
        for block in there | pinned:
            assert len(block) == 1 or block[:-1] in there | pinned


@pytest.mark.parametrize("outputs", [1, 2, 5])
def test_a_burst_is_answered_in_order(outputs):
    served = SimulatedEngine(Limits(60, BLOCK, 16, 3), TIMING)
    burst = [Sequence(10, outputs) for _ in range(10)]
    for each in burst:
        served.submit(each, 0.0)
    while (at_s := served.next_event_s()) is not None:
        served.advance(at_s)
    firsts = [each.first_token_s for each in burst]

    assert firsts == sorted(firsts)
