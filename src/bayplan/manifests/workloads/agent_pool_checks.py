"""The fields of an AgentPool that placement does not act on, and what each may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
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
    what,
    word_of,
)
from bayplan.manifests.workloads.checks import anything, expected, inside, needed, one, rows, several, unheeded
from bayplan.manifests.workloads.neuronetes_checks import target

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
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

_CLOCK = "(?:(?:[01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)"
_HOURS = re.compile(f"{_CLOCK}-{_CLOCK}")
_migration = word_of(("migrate-to-on-demand",))


def hours(value: object) -> str:
    """A time range of every day, such as 09:00-17:00; it may pass midnight."""
    if isinstance(value, str) and _HOURS.fullmatch(value):
        return value
    raise InputError(f"{what(value)} is no part of a day", next="write it as 09:00-17:00")


def _interruption(fields: Fields, key: str) -> None:
    """What happens when a spot worker is taken away: a word in one guide, a mapping in another."""
    if isinstance(fields.raw(key), Mapping):
        inside({"action": one(_migration), "timeout": one(duration_s)})(fields, key)
    else:
        fields.read(key, _migration)


_STEP: Table = {
    "stabilizationWindow": one(duration_s),
    "maxChangePercent": one(number),
    "maxChangeAbsolute": one(count),
    "periodSeconds": one(number),
}
SPOT: Table = {
    "fallbackToOnDemand": one(flag),
    "sloHeadroomMs": one(number),
    "onInterruption": _interruption,
    "instanceTypes": several(name),
}
_SPOT_SHARE: Table = {
    **SPOT,
    "enabled": one(flag),
    "maxSpotPercent": one(percent),
    "maxSpotPercentage": one(percent),
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
            "timeZone": one(text),
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
            "onBudgetExceeded": several(word_of(("scale-to-min", "use-fallback-model", "enable-spot"))),
            "optimization": inside(
                {
                    "preferSpot": one(flag),
                    "spotMaxPrice": one(money),
                    "dynamicModelSelection": inside({"enabled": one(flag), "costThreshold": one(money)}),
                }
            ),
        }
    ),
    "spotStrategy": inside(_SPOT_SHARE),
    "externalMetrics": rows({"name": needed(name), "query": one(text), "target": one(target)}),
}

POOL: Table = {
    "prewarmPercent": one(percent),
    "tokensPerSecondBudget": one(number),
    "sessionAffinity": inside(
        {
            "enabled": expected(flag),
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
    "scaleToSpot": inside({"enabled": one(flag), "minHeadroomMs": one(number)}),
    "interruptionThreshold": inside(
        {"count": one(count), "window": one(duration_s), "action": one(word_of(("disable-spot",)))}
    ),
}

CARBON: Table = {
    "timeShifting": inside(
        {
            "enabled": unheeded(flag),
            "cleanEnergyHours": one(hours),
            "timeZone": one(text),
            "maxDeferral": one(duration_s),
        }
    )
}

CACHE: Table = {
    "preloadStrategy": inside({"nodes": anything, "minCachedReplicas": one(count), "maxSize": one(capacity_mib)})
}
