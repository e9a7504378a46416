"""Flow control: limits, times, bands and policies, with defaults where nothing is said."""

import pytest

from unit.routing.config.documents import picker, plugins_of, problems, read, told, warnings

GATE = {"featureGates": ["flowControl"]}
FCFS, STRICT, STATIC = "fcfs-ordering-policy", "global-strict-fairness-policy", "static-usage-limit-policy"
ROUND, EDF = "round-robin-fairness-policy", "edf-ordering-policy"


def flow(*plugins, **section):
    return read(picker("queue-scorer", *plugins, flowControl=section, **GATE)).flow


def test_nothing_but_the_gate():
    found = flow()

    assert (found.max_bytes, found.max_requests, found.enable_eviction) == (None, None, False)
    assert (found.request_ttl_s, found.no_endpoint_ttl_s) == (60.0, 60.0)
    assert found.bands == {}
    assert (found.default_band.max_bytes, found.default_band.max_requests) == (10**9, 5000)
    assert (found.default_band.fairness.name, found.default_band.ordering.name) == (STRICT, FCFS)
    assert found.default_negative_band == found.default_band
    assert (found.usage_limit.name, found.band_policy) == (STATIC, None)


def test_the_gate_is_off():
    document = picker("queue-scorer", EDF, flowControl={"maxRequests": "1k", "saturationDetector": None})

    assert read(document).flow is None
    assert "flowControl is ignored" in warnings(document)["flowControl"]
    assert read(document).document()["flowControl"] == {"saturationDetector": {"pluginRef": "utilization-detector"}}
    assert STRICT not in plugins_of(document)


def test_the_detector_alone_needs_no_gate():
    document = picker(
        "queue-scorer",
        "concurrency-detector",
        flowControl={"saturationDetector": {"pluginRef": "concurrency-detector"}},
    )

    assert read(document).detector is not None
    assert not warnings(document)


TIMES = {
    "both": ({"defaultRequestTTL": "1500ms", "noEndpointRequestTTL": "2m"}, (1.5, 120.0)),
    "the second follows the first": ({"defaultRequestTTL": "5s"}, (5.0, 5.0)),
    "never": ({"defaultRequestTTL": "0s", "noEndpointRequestTTL": "-1s"}, (None, None)),
}


@pytest.mark.parametrize(("section", "wanted"), TIMES.values(), ids=TIMES)
def test_times(section, wanted):
    found = flow(**section)

    assert (found.request_ttl_s, found.no_endpoint_ttl_s) == wanted


def test_bands_inherit_what_they_leave_out():
    found = flow(
        ROUND,
        EDF,
        defaultPriorityBand={"maxRequests": "100", "orderingPolicyRef": EDF},
        defaultNegativePriorityBand={"maxBytes": "64Mi"},
        priorityBands=[
            {"priority": 10, "fairnessPolicyRef": ROUND},
            {"priority": -1, "maxRequests": 7},
            {"maxBytes": "1k"},
        ],
    )

    assert (found.band(10).max_requests, found.band(10).fairness.name, found.band(10).ordering.name) == (
        100,
        ROUND,
        EDF,
    )
    assert (found.band(-1).max_requests, found.band(-1).max_bytes) == (7, 64 * 2**20)
    assert (found.band(0).max_bytes, found.band(0).max_requests) == (1000, 100)
    assert found.band(5) == found.default_band
    assert found.band(-5) == found.default_negative_band
    assert (found.band(-5).max_requests, found.band(-5).ordering.name) == (100, EDF)


def test_limits_of_0_are_none():
    found = flow(maxRequests=0, defaultPriorityBand={"maxRequests": 0})

    assert found.max_requests is None
    assert found.default_band.max_requests == 5000


def test_policies():
    limit, bands = told("priority-holdback-policy", "hold", minCeiling=0.5), "weighted-band-policy"
    found = flow(
        limit, bands, usageLimitPolicyPluginRef="hold", bandSelectionPolicyPluginRef=bands, enableEviction=True
    )

    assert (found.usage_limit.name, found.band_policy.name) == ("priority-holdback-policy", bands)
    assert found.enable_eviction


def test_the_document_has_numbers():
    section = {"maxBytes": "10Gi", "maxRequests": "1k", "defaultRequestTTL": "1m", "priorityBands": [{"priority": 1}]}
    document = read(picker("queue-scorer", flowControl=section, **GATE)).document()["flowControl"]

    assert (document["maxBytes"], document["maxRequests"]) == (10 * 2**30, 1000)
    assert (document["defaultRequestTTLSeconds"], document["noEndpointRequestTTLSeconds"]) == (60.0, 60.0)
    assert document["priorityBands"] == [
        {"priority": 1, "maxBytes": 10**9, "maxRequests": 5000, "fairnessPolicyRef": STRICT, "orderingPolicyRef": FCFS}
    ]


REFUSED = {
    "a fairness policy that is not declared": (
        {"defaultPriorityBand": {"fairnessPolicyRef": "fair"}},
        "flowControl.defaultPriorityBand.fairnessPolicyRef",
        "'fair'",
    ),
    "an ordering of another kind": (
        {"priorityBands": [{"orderingPolicyRef": "queue-scorer"}]},
        "flowControl.priorityBands[0].orderingPolicyRef",
        "'queue-scorer'",
    ),
    "in a band that has another problem": (
        {"priorityBands": [{"priority": "high"}, {"orderingPolicyRef": "none"}]},
        "flowControl.priorityBands[1].orderingPolicyRef",
        "'none'",
    ),
    "an empty detector": (
        {"saturationDetector": {"pluginRef": ""}},
        "flowControl.saturationDetector.pluginRef",
        "is missing",
    ),
    "a limit in words": (
        {"priorityBands": [{"maxRequests": "some"}]},
        "flowControl.priorityBands[0].maxRequests",
        "'some'",
    ),
    "a time in words": ({"noEndpointRequestTTL": "later"}, "flowControl.noEndpointRequestTTL", "'later'"),
    "a priority twice": (
        {"priorityBands": [{"priority": 1}, {"priority": 1}]},
        "flowControl.priorityBands[1].priority",
        "1",
    ),
    "a field of our own kind": (
        {"defaultRequestTTLSeconds": 1},
        "flowControl.defaultRequestTTLSeconds",
        "'defaultRequestTTLSeconds'",
    ),
}


@pytest.mark.parametrize("gates", [{}, GATE], ids=["gate off", "gate on"])
@pytest.mark.parametrize(("section", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(section, place, words, gates):
    assert words in problems(picker("queue-scorer", flowControl=section, **gates))[place]
