"""One replica more where requests wait, one less where nobody asks."""

import pytest

from bayplan.serving.autoscaling.model_advice import ModelSignals, Thresholds, model_advice
from unit.serving.builders import model

BOTH = {"minimum": 1, "maximum": 3}
CASES = {  # model, signals, whether it is available; replicas wanted, reason
    "no limits": ({"replicas": 2}, {"lag": 99}, True, (2, "not-enabled")),
    "of an older version": ({"replicas": 2, **BOTH}, {"version": 1, "lag": 99}, True, (2, "old-version")),
    "a lag": ({"replicas": 2, **BOTH}, {"lag": 30}, True, (3, "lag")),
    "a small lag": ({"replicas": 2, **BOTH}, {"lag": 29.9}, True, (2, "steady")),
    "a lag, and not available": ({"replicas": 2, **BOTH}, {"lag": 99}, False, (2, "not-available")),
    "a lag at the maximum": ({"replicas": 3, **BOTH}, {"lag": 99}, True, (3, "at-maximum")),
    "no maximum": ({"replicas": 9, "minimum": 1}, {"lag": 99}, True, (10, "lag")),
    "a lag before idleness": ({"replicas": 2, **BOTH}, {"lag": 30, "idle_s": 99}, True, (3, "lag")),
    "idle": ({"replicas": 2, **BOTH}, {"idle_s": 30, "since_change_s": 60}, True, (1, "idle")),
    "idle for too short a time": ({"replicas": 2, **BOTH}, {"idle_s": 29}, True, (2, "steady")),
    "idle and just changed": ({"replicas": 2, **BOTH}, {"idle_s": 30, "since_change_s": 59}, True, (2, "not-stable")),
    "idle, and nobody knows since when": ({"replicas": 2, **BOTH}, {"idle_s": 30}, True, (2, "not-stable")),
    "idle at the minimum": ({"replicas": 1, **BOTH}, {"idle_s": 30, "since_change_s": 60}, True, (1, "at-minimum")),
    "never below one": ({"replicas": 1, "maximum": 3}, {"idle_s": 30, "since_change_s": 60}, True, (1, "at-minimum")),
    "nothing is known": ({"replicas": 2, **BOTH}, {}, True, (2, "unknown-signal")),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "signals", "available", "expected"), CASES.values(), ids=CASES)
def test_advice(fields, signals, available, expected):
    found = model_advice(model(**fields), 2, ModelSignals(**signals), Thresholds(), available=available)

    assert (found.desired, found.reason) == expected
    assert found.current == fields["replicas"]


def test_thresholds():
    limits = Thresholds(lag=5, idle_s=5, stable_s=5)
    up = model_advice(model(minimum=1), 1, ModelSignals(lag=5), limits, available=True)
    down = model_advice(
        model(replicas=2, minimum=1), 1, ModelSignals(idle_s=5, since_change_s=5), limits, available=True
    )

    assert (up.action, down.action) == ("up", "down")
