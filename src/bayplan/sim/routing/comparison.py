"""The Comparison document: what policies make of one trace on one pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayplan.sim.routing.capacity import CapacitySearch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.sim.routing.policies import Policy
    from bayplan.sim.routing.result import Result
    from bayplan.sim.routing.scenario import Scenario

SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


def compare(
    scenario: Scenario, policies: Mapping[str, str | Policy], speed: float = 1.0, *, with_capacity: bool = False
) -> dict[str, Any]:
    """Replay the trace once with each policy; `with_capacity` also searches the speed that each carries."""
    return {
        "kind": "Comparison",
        "trace": scenario.trace.name,
        "requests": len(scenario.trace.requests),
        "engines": len(scenario.engines),
        "profile": scenario.engines[0].profile.name,
        "speed": speed,
        "policies": [
            {
                "policy": name,
                **_figures(scenario.replay(policy, speed)),
                "capacity": CapacitySearch(scenario, policy, speed).capacities() if with_capacity else None,
            }
            for name, policy in policies.items()
        ],
    }


def _figures(result: Result) -> dict[str, Any]:
    """A quantile that falls on a request without a first token is unknown: None."""
    return {
        "served": sum(each.ttft_s is not None for each in result.served),
        "ttft_s": {
            "mean": _known(result.mean_ttft_s),
            **{name: _known(result.ttft_s(share)) for name, share in SHARES.items()},
        },
        "tpot_s": {"p99": result.tpot_s(0.99)},
        "cached": result.reuse,
        "met": result.met,
    }


def _known(value: float) -> float | None:
    return None if value == float("inf") else value
