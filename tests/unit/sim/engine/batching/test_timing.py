import pytest

from bayplan.sim.engine.batching.timing import PROFILES, Timing

TIMING = Timing(base_s=1.0, prefill_s=0.5, position_s=0.01, context_s=0.001)


def test_a_token_costs_more_the_later_it_stands():
    assert TIMING.prefill(0, 1) == 0.5
    assert TIMING.prefill(10, 11) == 0.5 + 10 * 0.01


def test_a_prompt_costs_the_sum_of_its_tokens():
    assert TIMING.prefill(3, 20) == pytest.approx(sum(TIMING.prefill(at, at + 1) for at in range(3, 20)))


def test_chunks_add_up_to_the_whole():
    assert TIMING.prefill(0, 7) + TIMING.prefill(7, 30) == pytest.approx(TIMING.prefill(0, 30))


def test_a_slower_engine_takes_longer_for_everything():
    assert Timing(1, 2, 3, 4, 5).scaled(2) == Timing(2, 4, 6, 8, 10)


@pytest.mark.parametrize(
    ("name", "prefill_us", "blocks_of_512", "step_tokens"), [("70b", 112, 2660, 2048), ("8b", 36, 790, 8192)]
)
def test_the_published_profiles(name, prefill_us, blocks_of_512, step_tokens):
    profile = PROFILES[name]

    assert profile.timing.prefill_s == pytest.approx(prefill_us * 1e-6)
    assert profile.kv_tokens == blocks_of_512 * 512
    assert profile.step_tokens == step_tokens


def test_a_profile_takes_the_times_that_are_given():
    changed = PROFILES["8b"].with_timing(base_s=1.0, prefill_s=None)

    assert changed.timing.base_s == 1.0
    assert changed.timing.prefill_s == PROFILES["8b"].timing.prefill_s
