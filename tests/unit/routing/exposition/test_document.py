from bayplan.routing.exposition.document import metrics_document
from bayplan.routing.exposition.reading import Loras, Reading


def test_unknown_is_null():
    assert metrics_document(Reading()) == {
        "kind": "Metrics",
        "metrics": dict.fromkeys(
            ("waiting", "running", "kvCacheUsage", "cacheBlockSize", "cacheBlocks", "kvTokenCapacity")
        ),
        "loras": {"active": None, "waiting": None, "max": None},
        "attributes": {},
        "warnings": [],
    }


def test_whole_counts_are_whole_numbers():
    loras = Loras(("a",), (), 2)
    reading = Reading(3.0, 0.5, 1.0, 16, 10, loras, {"depth": 11.0, "huge": 1e300}, ("careful",))

    document = metrics_document(reading)

    assert repr(document["metrics"]["waiting"]) == "3"
    assert document["metrics"]["running"] == 0.5
    assert document["metrics"]["kvTokenCapacity"] == 160
    assert document["loras"] == {"active": ["a"], "waiting": [], "max": 2}
    assert repr(document["attributes"]) == "{'depth': 11, 'huge': 1e+300}"
    assert document["warnings"] == ["careful"]
