"""The fields of a pool that placement does not act on."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.agent_pool_checks import CACHE, CARBON, COST, METRICS, POOL, SPOT
from bayplan.manifests.workloads.checks import check
from unit.manifests.opened import opened, places

RIGHT = {
    "every metric": (POOL, {"autoscaling": {"metrics": [{"type": each, "target": "1"} for each in METRICS]}}),
    "autoscaling": (POOL, {"autoscaling": {
        "behavior": {"scaleUp": {"stabilizationWindow": "60s", "maxChangePercent": 100}}, "cooldownPeriod": "5m",
        "strategy": "max", "useWarmPool": True, "replenishStrategy": {"delay": "30s", "batchSize": 2},
        "predictive": {"enabled": True, "lookbackWindow": "7d", "minConfidence": 0.8, "schedules": [{"name": "x"}]},
        "sloTarget": {"headroomPercent": 20, "breachResponse": {"maxScaleUp": 5}},
        "costConstraints": {"maxCostPerHour": 5, "onBudgetExceeded": ["scale-to-min"]},
        "externalMetrics": [{"name": "x", "query": "y", "target": 5}]}}),
    "sessions": (POOL, {"sessionAffinity": {"enabled": True, "ttl": "1h", "type": "user-id"}, "prewarmPercent": "20"}),
    "the guide's cost": (COST, {
        "sloHeadroomMs": 1000, "fallbackModel": "s", "spotMaxInterruptions": 2,
        "fallbackTrigger": {"costExceeded": True, "sloAtRisk": False},
        "interruptionThreshold": {"count": 3, "window": "1h", "action": "disable-spot"}}),
    "the guide's spot workers": (SPOT, {"instanceTypes": ["p4d"], "onInterruption": "migrate-to-on-demand"}),
    "an interruption with a time": (SPOT, {"onInterruption": {"action": "migrate-to-on-demand", "timeout": "30s"}}),
    "the cloud guides' spot workers": (SPOT, {"fallbackToOnDemand": True, "sloHeadroomMs": 200}),
    "the cloud guides' cost": (COST, {"scaleToSpot": {"enabled": True, "minHeadroomMs": 500}}),
    "spot workers of the autoscaler": (POOL, {"autoscaling": {"spotStrategy": {"maxSpotPercent": 80}}}),
    "every answer to a spent budget": (POOL, {"autoscaling": {"costConstraints": {
        "onBudgetExceeded": ["scale-to-min", "use-fallback-model", "enable-spot"]}}}),
    "clean hours over midnight": (CARBON, {"timeShifting": {"cleanEnergyHours": "22:00-6:00"}}),
    "clean hours": (CARBON, {"timeShifting": {"enabled": False, "cleanEnergyHours": "09:00-17:00"}}),
    "preloading": (CACHE, {"preloadStrategy": {"nodes": {"labelSelector": {}}, "minCachedReplicas": 2}}),
}  # fmt: skip


@pytest.mark.parametrize(("table", "data"), RIGHT.values(), ids=RIGHT)
def test_right(table, data):
    fields = opened(data)
    check(fields, table)
    fields.finish()

    assert not fields.findings.errors
    assert not fields.findings.warnings


WRONG = {
    "a metric without a type": (POOL, {"autoscaling": {"metrics": [{"target": 1}]}}, "autoscaling.metrics[0].type"),
    "a window": (POOL, {"autoscaling": {"cooldownPeriod": "soon"}}, "autoscaling.cooldownPeriod"),
    "a confidence": (POOL, {"autoscaling": {"predictive": {"minConfidence": 2}}},
                     "autoscaling.predictive.minConfidence"),
    "a kind of session": (POOL, {"sessionAffinity": {"enabled": True, "type": "cookie"}}, "sessionAffinity.type"),
    "an answer to a spent budget": (
        POOL, {"autoscaling": {"costConstraints": {"onBudgetExceeded": ["scale-to-min", "pray"]}}},
        "autoscaling.costConstraints.onBudgetExceeded[1]"),
    "an answer to an interruption": (SPOT, {"onInterruption": "weep"}, "onInterruption"),
    "the same with a time": (SPOT, {"onInterruption": {"action": "weep"}}, "onInterruption.action"),
    "an answer to many interruptions": (
        COST, {"interruptionThreshold": {"action": "weep"}}, "interruptionThreshold.action"),
    "no part of a day": (
        CARBON, {"timeShifting": {"cleanEnergyHours": "noon"}}, "timeShifting.cleanEnergyHours"),
    "a minute too late": (
        CARBON, {"timeShifting": {"cleanEnergyHours": "09:00-24:01"}}, "timeShifting.cleanEnergyHours"),
    "a share of spot": (
        POOL, {"autoscaling": {"spotStrategy": {"maxSpotPercent": 101}}}, "autoscaling.spotStrategy.maxSpotPercent"),
}  # fmt: skip


@pytest.mark.parametrize(("table", "data", "place"), WRONG.values(), ids=WRONG)
def test_wrong(table, data, place):
    fields = opened(data)
    check(fields, table)

    assert places(fields) == [place]


def test_sessions_that_do_not_say_whether_are_told():
    fields = opened({"sessionAffinity": {"type": "user-id"}})
    check(fields, POOL)

    assert places(fields) == []
    assert "sessionAffinity.enabled: is missing" in fields.findings.warnings[0]


UNHEEDED = {
    "a better time": (CARBON, {"timeShifting": {"enabled": True}}, "timeShifting.enabled"),
}  # fmt: skip


@pytest.mark.parametrize(("table", "data", "place"), UNHEEDED.values(), ids=UNHEEDED)
def test_what_no_plan_acts_on_is_told(table, data, place):
    fields = opened(data)
    check(fields, table)

    assert not fields.findings.errors
    assert [each.split(": ")[1] for each in fields.findings.warnings] == [place]
