"""The workloads on which policies are compared, each with the policies that are tried on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.routing.agent_trace import agent_trace
from bayplan.sim.routing.engine_spec import EngineSpec
from bayplan.sim.routing.scenario import Bursts, Scenario
from bayplan.sim.routing.trace_files import read_azure, read_mooncake

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.sim.routing.trace import Trace

PEERS = ("rr", "least", "leasttok", "dynamo", "token-load")
ALL = ("gie", "gie-here", *PEERS, "early", "late", "bound")
STRONG = ("gie", "dynamo", "token-load", "early", "late", "bound")
OWN = ("early", "late")
LIKELY = {
    "gie-here": 1.2,
    "rr": 0.35,
    "least": 0.5,
    "leasttok": 1.1,
    "dynamo": 1.15,
    "token-load": 1.35,
    "early": 1.45,
    "late": 1.7,
    "bound": 1.95,
    "late x 4": 1.5,
}
"""Where to look for a policy's capacity, as a multiple of GIE's; a wrong entry costs replays and changes no figure."""
AGENTS, AGENT_SECONDS = 600, 1800.0


@dataclass(frozen=True, slots=True)
class Case:
    """One workload on one pool; `guess` is about the speed that GIE carries.

    Each seed spreads the arrivals of the Mooncake trace differently within their 3 s: capacities are means over them.
    """

    name: str
    trace: str
    engines: int = 8
    profile: str = "70b"
    policies: tuple[str, ...] = ALL
    guess: float = 1.0
    slow_engines: int = 0
    belief: float = 1.0
    bursts: Bursts | None = None
    seeds: tuple[int, ...] = (0,)

    def scenario(self, data: Path, seed: int = 0) -> Scenario:
        spec, slow = EngineSpec(PROFILES[self.profile]), EngineSpec(PROFILES[self.profile], 2.0)
        engines = [spec] * (self.engines - self.slow_engines) + [slow] * self.slow_engines
        trace = _trace(self.trace, data, seed)
        return Scenario(self.name, trace, engines, belief=self.belief, bursts=self.bursts, seed=seed)

    def likely(self, policy: str) -> float:
        """Where to begin the search of a policy's capacities."""
        return self.guess * LIKELY.get(policy, 1.0)


WHOLE, HALF = "conversation-whole", "conversation-second-half"
CASES = {
    case.name: case
    for case in (
        Case(f"{HALF}/8", HALF, guess=0.85, seeds=(0, 1, 2)),
        Case(f"{WHOLE}/8", WHOLE, guess=0.8),
        Case(f"{HALF}/16", HALF, 16, guess=1.6),
        Case(f"{HALF}/32", HALF, 32, guess=3.0),
        Case(f"{HALF}/4-and-4-slower", HALF, guess=0.6, slow_engines=4),
        Case(f"{HALF}/bursts", HALF, guess=0.5, bursts=Bursts()),
        Case(f"{HALF}/belief-0.5", HALF, policies=OWN, guess=0.85, belief=0.5),
        Case(f"{HALF}/belief-2", HALF, policies=OWN, guess=0.85, belief=2.0),
        Case(f"{HALF}/4-routers", HALF, policies=("gie x 4", "late x 4"), guess=0.85),
        Case(f"{HALF}/8-of-8b", HALF, 8, "8b", guess=2.3),
        Case("azure-code-second-half/8", "azure-code", guess=4.5),
        Case("azure-conversation-second-half/8", "azure-conversation", guess=6.5),
        Case("invented-agents/8", "agents", guess=4.0),
        Case(f"{WHOLE}/16", WHOLE, 16, policies=STRONG, guess=1.6),
        Case(f"{WHOLE}/32", WHOLE, 32, policies=STRONG, guess=3.0),
    )
}
"""In the order in which they run."""


@cache
def _trace(name: str, data: Path, seed: int) -> Trace:
    if name == "agents":
        return agent_trace(AGENTS, AGENT_SECONDS)
    if name in (WHOLE, HALF):
        trace = read_mooncake(data / "mooncake_conversation_trace.jsonl", seed=seed)
        return trace if name == WHOLE else _second_half(trace)
    return _second_half(read_azure(data / {"azure-code": "azure2023_code.csv"}.get(name, "azure2023_conv.csv")))


def _second_half(trace: Trace) -> Trace:
    """Constants were fixed on the first half of the conversation trace alone."""
    return trace.between(trace.end_s / 2, float("inf"))
