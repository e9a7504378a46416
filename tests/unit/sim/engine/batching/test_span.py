import pytest

from bayplan.sim.engine.batching.span import Span


def test_each_step_takes_a_little_longer():
    span = Span(start_s=10.0, first_s=2.0, growth_s=0.5, length=4)

    assert [span.end_s(steps) for steps in range(5)] == [10.0, 12.0, 14.5, 17.5, 21.0]


@pytest.mark.parametrize(("now_s", "steps"), [(9, 0), (11.9, 0), (12.0, 1), (17.4, 2), (17.5, 3), (20.9, 3), (99, 4)])
def test_how_many_steps_are_over(now_s, steps):
    assert Span(10.0, 2.0, 0.5, 4).steps_by(now_s) == steps


def test_what_is_done_stays_done():
    span = Span(0.0, 1.0, 0.0, 10)
    span.done = 3

    assert span.steps_by(2.0) == 3
    assert span.steps_by(5.5) == 5


def test_a_cut_span_ends_with_the_step_in_progress():
    span = Span(0.0, 1.0, 0.0, 10)
    span.done = 3
    span.cut()

    assert span.length == 4
    assert span.steps_by(100.0) == 4
