"""Media have a stage of their own."""

from bayplan.routing.deciders.always_disagg_multimodal_decider import AlwaysDisaggMultimodalDecider
from unit.routing.endpoint_tables import endpoints, request


def test_requests_with_media():
    assert AlwaysDisaggMultimodalDecider().splits(request(media=("1.png",)), endpoints({}), 0, 0.0)
    assert not AlwaysDisaggMultimodalDecider().splits(request(), endpoints({}), 0, 0.0)
