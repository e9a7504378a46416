"""Always."""

from bayplan.routing.deciders.always_disagg_pd_decider import AlwaysDisaggPdDecider
from unit.routing.endpoint_tables import endpoints, request


def test_always():
    assert AlwaysDisaggPdDecider().splits(request(), endpoints({}), 0, 0.0)
