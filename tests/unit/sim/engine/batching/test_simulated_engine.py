import pytest

from bayplan.framework.errors import InputError
from bayplan.sim.engine.batching.sequence import Kind, Sequence, State
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.engine.batching.timing import Timing

TIMING = Timing(base_s=1.0, prefill_s=0.01, position_s=0.0001, context_s=0.001, adapter_load_s=5.0)


def engine(blocks=100, block_tokens=4, step_tokens=64, sequences=8, adapters=0, timing=TIMING):
    return SimulatedEngine(Limits(blocks, block_tokens, step_tokens, sequences, adapters), timing)


def run(engine, *requests):
    """Let (time, sequence) arrive; run until all is done; the events by sequence and kind."""
    events = []
    for time_s, sequence in requests:
        events += engine.advance(time_s)
        engine.submit(sequence, time_s)
    while (until_s := engine.next_event_s()) is not None:
        events += engine.advance(until_s)
    return events


def prefix(name, tokens, block_tokens=4):
    return [f"{name}{number}" for number in range(tokens // block_tokens)]


class TestTimeToFirstToken:
    def test_of_an_idle_engine_is_one_step(self):
        request = Sequence(40, 1)
        run(engine(), (7.0, request))

        assert request.first_token_s == pytest.approx(7.0 + 1.0 + TIMING.prefill(0, 40))

    def test_of_a_long_prompt_is_a_step_for_each_chunk(self):
        request = Sequence(150, 1)
        run(engine(), (0.0, request))

        assert request.first_token_s == pytest.approx(3 * 1.0 + TIMING.prefill(0, 150))

    def test_a_cached_prefix_is_not_computed(self):
        first, second = Sequence(40, 1, prefix("p", 40)), Sequence(40, 1, prefix("p", 40))
        run(engine(), (0.0, first), (100.0, second))

        assert (first.cached_tokens, second.cached_tokens) == (0, 36), "the last token is always computed"
        assert second.first_token_s - 100.0 == pytest.approx(1.0 + TIMING.prefill(36, 40))

    def test_a_request_waits_for_the_step_in_progress(self):
        first, second = Sequence(40, 5), Sequence(8, 1)
        run(engine(), (0.0, first), (0.1, second))

        joined_s = 1.0 + TIMING.prefill(0, 40)
        assert second.admitted_s == pytest.approx(joined_s)
        assert second.first_token_s == pytest.approx(joined_s + 1.0 + TIMING.prefill(0, 8) + 41 * 0.001)

    def test_requests_that_arrive_together_share_a_step(self):
        first, second = Sequence(40, 1), Sequence(8, 1)
        run(engine(), (0.0, first), (0.0, second))

        assert first.first_token_s == second.first_token_s

    def test_blocks_can_be_hit_in_the_step_that_computes_them(self):
        first, second = Sequence(41, 1, prefix("p", 41)), Sequence(41, 1, prefix("p", 41))
        run(engine(), (0.0, first), (0.0, second))

        assert second.cached_tokens == 40

    def test_an_adapter_is_loaded_first(self):
        first, second = Sequence(8, 1, adapter="a"), Sequence(8, 1, adapter="a")
        run(engine(adapters=1), (0.0, first), (100.0, second))

        assert first.first_token_s == pytest.approx(1.0 + 5.0 + TIMING.prefill(0, 8))
        assert second.first_token_s == pytest.approx(100.0 + 1.0 + TIMING.prefill(0, 8))


class TestOutput:
    def test_each_token_reads_the_context_before_it(self):
        request = Sequence(10, 4)
        run(engine(), (0.0, request))

        assert request.finished_s - request.first_token_s == pytest.approx(3 * 1.0 + 0.001 * (11 + 12 + 13))

    def test_events_are_told_in_order_and_once(self):
        first, second = Sequence(10, 4), Sequence(10, 1)
        events = run(engine(), (0.0, first), (0.0, second))

        assert [(event.kind, event.sequence) for event in events] == [
            (Kind.FIRST_TOKEN, first),
            (Kind.FIRST_TOKEN, second),
            (Kind.FINISHED, second),
            (Kind.FINISHED, first),
        ]
        assert [event.time_s for event in events] == sorted(event.time_s for event in events)

    def test_tokens_are_counted_while_they_come(self):
        request, served = Sequence(10, 4), engine()
        served.submit(request, 0.0)
        seen = []
        while (at_s := served.next_step_s()) is not None:
            served.advance(at_s)
            seen.append(served.generated(request))

        assert seen == [1, 2, 3, 4]
        assert (served.prompt_tokens, served.generated_tokens) == (10, 4)

    def test_times_do_not_depend_on_how_often_one_looks(self):
        def finish(looks):
            served, request, other = engine(), Sequence(10, 50), Sequence(90, 9)
            served.submit(request, 0.0)
            for look in range(looks):
                served.advance(20.0 * look / looks)
            served.advance(20.0)
            served.submit(other, 20.0)
            run(served)
            return request.finished_s, other.first_token_s, other.finished_s

        assert finish(0) == finish(7) == finish(500)


class TestLimits:
    def test_running_requests(self):
        requests = [Sequence(4, 10) for _ in range(3)]
        run(engine(sequences=2), *((0.0, each) for each in requests))

        assert requests[0].admitted_s == requests[1].admitted_s == 0.0
        assert requests[2].admitted_s == requests[0].finished_s

    def test_prompts_are_admitted_in_order_even_if_a_later_one_would_fit(self):
        running, large, small = Sequence(20, 10), Sequence(30, 1), Sequence(4, 1)
        run(engine(blocks=10), (0.0, running), (0.0, large), (0.0, small))

        assert large.admitted_s == running.finished_s
        assert small.admitted_s >= large.admitted_s

    def test_decoding_leaves_less_of_a_step_to_prompts(self):
        running, prompt = Sequence(4, 50), Sequence(64, 1)
        run(engine(), (0.0, running), (0.5, prompt))

        decoding_s = [0.001 * (5 + step) for step in range(2)]
        begin_s = 1.0 + TIMING.prefill(0, 4)
        assert prompt.first_token_s == pytest.approx(begin_s + 2 * 1.0 + TIMING.prefill(0, 64) + sum(decoding_s))

    def test_a_request_without_a_slot_for_its_adapter_lets_others_pass(self):
        first, waits, passes = Sequence(4, 5, adapter="a"), Sequence(4, 1, adapter="b"), Sequence(4, 1)
        run(engine(adapters=1), *((0.0, each) for each in (first, waits, passes)))

        assert passes.admitted_s == 0.0
        assert waits.admitted_s == first.finished_s

    def test_what_never_fits_is_refused(self):
        with pytest.raises(InputError, match="30 tokens and 20 of output need more than 10 blocks of 4"):
            engine(blocks=10).submit(Sequence(30, 20), 0.0)

    def test_adapters_need_slots(self):
        with pytest.raises(InputError, match="adapter: the engine has no slots for adapters"):
            engine().submit(Sequence(30, 20, adapter="a"), 0.0)

    @pytest.mark.parametrize(
        ("limits", "place"),
        {
            "no blocks": ((0, 4, 64, 8), "blocks"),
            "no tokens": ((10, 4, 0, 8), "step_tokens"),
            "more sequences than tokens": ((10, 4, 8, 9), "step_tokens"),
        }.values(),
    )
    def test_limits_that_cannot_be(self, limits, place):
        with pytest.raises(InputError) as caught:
            Limits(*limits)
        assert caught.value.place == place


class TestPreemption:
    def test_the_last_one_makes_way_and_computes_its_tokens_again(self):
        first, last = Sequence(16, 20), Sequence(16, 20)
        served = engine(blocks=12)
        events = run(served, (0.0, first), (0.0, last))

        assert (first.preemptions, last.preemptions, served.preemptions) == (0, 1, 1)
        assert (first.generated, last.generated) == (20, 20)
        assert first.finished_s < last.finished_s
        assert [event.sequence for event in events if event.kind is Kind.FIRST_TOKEN] == [first, last]

    def test_nothing_is_left_behind(self):
        served = engine(blocks=12)
        run(served, *((0.0, Sequence(16, 20, prefix(name, 16))) for name in "abcde"))

        assert (served.pool.in_use, served.pool.private) == (0, 0)
        assert served.preemptions > 0


class TestAbort:
    def test_frees_blocks_at_once(self):
        served, request = engine(), Sequence(40, 100, prefix("p", 40))
        served.submit(request, 0.0)
        served.advance(30.0)
        assert served.pool.in_use > 10
        served.abort(request)

        assert (served.pool.in_use, served.pool.kept) == (0, 10)
        assert request.state is State.ABORTED
        assert not served.running

    def test_of_a_waiting_request_takes_it_out_of_the_queue(self):
        served, running, waiting = engine(sequences=1), Sequence(4, 5), Sequence(4, 5)
        events = run_with_abort(served, running, waiting)

        assert {event.sequence for event in events} == {running}
        assert not served.waiting

    def test_of_one_that_is_prefilled_lets_the_others_go_on(self):
        served, aborted, other = engine(), Sequence(200, 5), Sequence(4, 5)
        served.submit(aborted, 0.0)
        served.submit(other, 0.0)
        served.advance(0.5)
        served.abort(aborted)
        events = run(served)

        assert {event.sequence for event in events} == {other}
        assert other.admitted_s == pytest.approx(1.0 + TIMING.prefill(0, 64)), "the step in progress takes its time"

    def test_of_what_is_over_changes_nothing(self):
        served, request = engine(), Sequence(4, 1)
        run(served, (0.0, request))
        served.abort(request)

        assert request.state is State.FINISHED


def run_with_abort(served, running, waiting):
    for each in (running, waiting):
        served.submit(each, 0.0)
    served.advance(0.5)
    served.abort(waiting)
    return run(served)


def test_a_new_timing_holds_from_the_next_step_on():
    served, request = engine(), Sequence(10, 3)
    served.submit(request, 0.0)
    served.advance(0.5)
    served.timing = TIMING.scaled(10)
    run(served)

    assert request.first_token_s == pytest.approx(1.0 + TIMING.prefill(0, 10))
    assert request.finished_s - request.first_token_s == pytest.approx(2 * 10.0 + 0.01 * (11 + 12))


def test_the_gauges_show_what_is_in_use():
    served, request = engine(), Sequence(38, 100, prefix("p", 38))
    served.submit(request, 0.0)
    served.advance(2.0)

    assert served.usage == pytest.approx(10 / 100)
    assert (len(served.running), len(served.waiting)) == (1, 0)
    assert (served.queried_prompt_tokens, served.cached_prompt_tokens) == (38, 0)


def test_an_idle_engine_has_nothing_to_wait_for():
    served = engine()

    assert served.next_event_s() is None
    assert served.next_step_s() is None
    assert served.advance(100.0) == []
