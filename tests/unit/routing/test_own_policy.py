import pytest

from bayplan.routing.own_policy import own_config, own_scorer
from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer
from unit.routing.routers import config


@pytest.mark.parametrize("policy", ["early", "late"])
def test_the_scorer_that_decides(policy):
    made = own_config(policy)

    assert made.own_policy == policy
    assert isinstance(own_scorer(made), PrefillCostScorer)


def test_each_configuration_keeps_an_account_of_its_own():
    first, second = (own_scorer(own_config()) for _ in range(2))

    assert first.account is not second.account


def test_other_configurations_have_none():
    assert own_scorer(config("prefill-cost-scorer")) is None
