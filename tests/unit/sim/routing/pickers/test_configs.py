import pytest

from bayplan.library.registry import read_routing
from bayplan.routing.own_policy import own_scorer
from bayplan.sim.routing.pickers import configs

CONFIGS = {
    "GIE's defaults": (configs.GIE_DEFAULTS, None),
    "llm-d's token load": (configs.TOKEN_LOAD, None),
    "ours, early": (configs.own("early", 2e-4, 512), "early"),
    "ours, late": (configs.own("late", 2e-4, 512), "late"),
}


@pytest.mark.parametrize(("document", "own"), CONFIGS.values(), ids=CONFIGS)
def test_configurations_can_be_read(document, own):
    assert read_routing(document).own_policy == own


def test_what_our_own_policy_believes():
    scorer = own_scorer(read_routing(configs.own("early", 2e-4, 512)))

    assert (scorer.seconds_per_token, scorer.block_size_tokens) == (2e-4, 512)
