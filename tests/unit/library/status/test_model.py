from bayplan.library.status.model import model_status
from unit.library.status.observed import LATER, LATER_TEXT, NOW, NOW_TEXT, told, with_status

MODEL = {"kind": "Model", "metadata": {"name": "m", "generation": 1}, "spec": {}}


def test_phases_come_and_go():
    document, seen = MODEL, []
    for workers in ({}, {"a": "loading"}, {"a": "ready", "b": "loading"}, {"b": "failed"}, {}):
        status = model_status(document, workers, NOW)
        document = with_status(document, status)
        seen.append((status["phase"], [each["nodeName"] for each in status["cachedNodes"]], told(status, "Ready")))

    assert seen == [
        ("Pending", [], ("False", "NotCached")),
        ("Loading", ["a"], ("False", "Loading")),
        ("Ready", ["a", "b"], ("True", "Cached")),
        ("Failed", ["b"], ("False", "Failed")),
        ("Pending", [], ("False", "NotCached")),
    ]


def test_the_time_is_that_of_the_last_change():
    first = model_status(MODEL, {"a": "loading", "b": "ready"}, NOW)
    second = model_status(with_status(MODEL, first), {"a": "ready", "b": "ready"}, LATER)

    assert [each["cachedAt"] for each in first["cachedNodes"]] == [NOW_TEXT, NOW_TEXT]
    assert [(each["status"], each["cachedAt"]) for each in second["cachedNodes"]] == [
        ("ready", LATER_TEXT),
        ("ready", NOW_TEXT),
    ]
