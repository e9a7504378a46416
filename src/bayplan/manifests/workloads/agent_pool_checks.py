"""The fields of an AgentPool that placement does not act on, and what each may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.values import (
    capacity_mib,
    count,
    duration_s,
    flag,
    money,
    name,
    number,
    percent,
    positive,
    rate,
    text,
    word_of,
)
from bayplan.manifests.workloads.checks import anything, inside, needed, one, rows, several
from bayplan.manifests.workloads.neuronetes import target

if TYPE_CHECKING:
    from bayplan.manifests.workloads.checks import Table

METRICS = (
    "tokens-in-queue",
    "ttft-p95",
    "ttft-p99",
    "concurrent-sessions",
    "tokens-per-second",
    "queue-depth",
    "context-length",
    "tool-call-rate",
    "cost-per-token",
)

_STEP: Table = {
    "stabilizationWindow": one(duration_s),
    "maxChangePercent": one(number),
    "maxChangeAbsolute": one(count),
    "periodSeconds": one(number),
}
_SPOT: Table = {
    "enabled": one(flag),
    "maxSpotPercent": one(percent),
    "maxSpotPercentage": one(percent),
    "fallbackToOnDemand": one(flag),
    "sloHeadroomMs": one(number),
    "onInterruption": anything,
    "instanceTypes": several(name),
}
_AUTOSCALING: Table = {
    "metrics": rows({"type": needed(word_of(METRICS)), "target": one(target), "averagingWindow": one(duration_s)}),
    "behavior": inside({"scaleUp": inside(_STEP), "scaleDown": inside(_STEP)}),
    "cooldownPeriod": one(duration_s),
    "strategy": one(word_of(("max", "min", "average"))),
    "useWarmPool": one(flag),
    "replenishStrategy": inside({"delay": one(duration_s), "batchSize": one(positive)}),
    "predictive": inside(
        {
            "enabled": one(flag),
            "lookbackWindow": one(duration_s),
            "horizonMinutes": one(number),
            "minConfidence": one(rate),
            "schedules": rows({"name": one(text), "cron": one(text), "replicas": one(count)}),
        }
    ),
    "sloTarget": inside(
        {
            "enabled": one(flag),
            "headroomPercent": one(percent),
            "breachResponse": inside({"scaleUpImmediately": one(flag), "maxScaleUp": one(count)}),
            "scaleDownSafety": inside({"requireHeadroom": one(percent), "checkDuration": one(duration_s)}),
        }
    ),
    "costConstraints": inside(
        {
            "maxCostPerHour": one(money),
            "dailyBudget": one(money),
            "onBudgetExceeded": several(text),
            "optimization": inside(
                {
                    "preferSpot": one(flag),
                    "spotMaxPrice": one(money),
                    "dynamicModelSelection": inside({"enabled": one(flag), "costThreshold": one(money)}),
                }
            ),
        }
    ),
    "spotStrategy": inside(_SPOT),
    "externalMetrics": rows({"name": needed(name), "query": one(text), "target": one(target)}),
}

POOL: Table = {
    "prewarmPercent": one(percent),
    "tokensPerSecondBudget": one(number),
    "sessionAffinity": inside(
        {
            "enabled": one(flag),
            "keyHeader": one(text),
            "ttl": one(duration_s),
            "type": one(word_of(("conversation-id", "user-id", "custom"))),
        }
    ),
    "autoscaling": inside(_AUTOSCALING),
    "toolBindings": anything,
}

COST: Table = {
    "sloHeadroomMs": one(number),
    "fallbackModel": one(text),
    "spotMaxInterruptions": one(number),
    "fallbackTrigger": inside({"costExceeded": one(flag), "sloAtRisk": one(flag)}),
    "spotStrategy": inside(_SPOT),
    "spotAllocation": inside(_SPOT),
    "interruptionThreshold": inside({"count": one(count), "window": one(duration_s), "action": one(text)}),
}

CARBON: Table = {"timeShifting": inside({"enabled": one(flag), "cleanEnergyHours": one(text)})}

CACHE: Table = {
    "preloadStrategy": inside({"nodes": anything, "minCachedReplicas": one(count), "maxSize": one(capacity_mib)})
}
