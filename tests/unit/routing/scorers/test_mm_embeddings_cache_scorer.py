"""An endpoint that has encoded the media is better."""

import pytest

from bayplan.routing.scorers.mm_embeddings_cache_scorer import MmEmbeddingsCacheScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, request, scores, sent_to

CASES = {
    "all": (("1", "2"), {"1", "2", "3"}, 1.0),
    "half": (("1", "2"), {"1"}, 0.5),
    "each counts once": (("1", "1", "2"), {"1"}, 0.5),
    "none of them": (("1",), {"2"}, 0.0),
    "no media": ((), {"1"}, 0.0),
}


@pytest.mark.parametrize(("media", "cached", "wanted"), CASES.values(), ids=CASES)
def test_score(media, cached, wanted):
    assert scores(MmEmbeddingsCacheScorer(), endpoints({"encoder_cache": cached}), request(media=media)) == {
        "a": wanted
    }


def test_the_pick_of_its_profile_has_encoded_them():
    plugin, table, asked = MmEmbeddingsCacheScorer(), endpoints({}, {}, {}), request(media=("1",))
    plugin.placed(["encode", "elsewhere"])
    plugin.sent(asked, sent_to(table, 0, encode=(2, 1)), 0.0)

    assert table.columns["encoder_cache"] == [set(), set(), {"1"}]


def test_a_request_without_media_writes_nothing():
    plugin, table = MmEmbeddingsCacheScorer(), endpoints({})
    plugin.placed(["p"])
    plugin.sent(request(), sent_to(table), 0.0)

    assert table.columns["encoder_cache"] == [set()]


def test_contract():
    table = endpoints(*({"encoder_cache": cached} for _, cached, _ in CASES.values()))

    keeps_its_promises(MmEmbeddingsCacheScorer(), table, [request("r", media=("1", "2"))])
