from bayplan.sim.routing.engine_spec import EngineSpec
from unit.sim.routing.traces import PROFILE


def test_an_engine_has_the_blocks_of_its_profile():
    made = EngineSpec(PROFILE).engine(100)

    assert (made.limits.blocks, made.limits.block_tokens, made.limits.step_tokens) == (50, 100, 1000)


def test_a_slower_engine_takes_longer_for_everything():
    made = EngineSpec(PROFILE, 2.0).engine(100)

    assert (made.timing.base_s, made.timing.prefill_s) == (0.02, 0.002)
