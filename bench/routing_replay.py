"""Replay of traces: how much load a pool carries under each policy, by four criteria, and the goals for ours."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from math import prod
from typing import TYPE_CHECKING

from bayplan.sim.routing.capacity import STEP, CapacitySearch
from bayplan.sim.routing.result import CRITERIA, Result, line_s
from bayplan.sim.routing.trace import sessions
from bench.measure import Row
from bench.routing_cases import CASES, HALF, OWN, PEERS, WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bayplan.sim.routing.scenario import Scenario
    from bayplan.sim.routing.trace import TraceRequest

PROCESSES = 2
TIE = 1 / STEP - 1e-9
"""One step of the grid is a tie; powers of the step are rounded."""

TAIL_SPEED = 1.3
LENGTHS = {"below-4k": (0, 4_000), "4k-16k": (4_000, 16_000), "16k-64k": (16_000, 64_000), "above-64k": (64_000, 1e9)}

Capacities = dict[str, dict[str, dict[str, float]]]  # by case, policy and criterion


def rows(say: Callable[[str], None], data: Path) -> Iterator[Row]:
    """Capacities of every policy in every case, each case with its goals when it is done; then the other goals."""
    begin = time.monotonic()
    found: Capacities = {}
    for case, policies in _measured(say, data):
        found[case] = policies
        yield from _capacities(case, policies)
        yield from _goals_of(case, found)
    yield from _goals_of_all(found)
    yield from _tails(found, data)
    yield Row("routing/replay/wall-clock", time.monotonic() - begin, "s")


def _capacities(case: str, policies: Mapping[str, Mapping[str, float]]) -> Iterator[Row]:
    base = policies.get("gie")
    for policy, capacities in policies.items():
        for criterion, speed in capacities.items():
            against = None if base is None or policy == "gie" else base[criterion]
            yield Row(f"routing/{case}/{policy}/{criterion}", speed, "speed", baseline=against)


def _measured(say: Callable[[str], None], data: Path) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """All searches, in two processes; each case when it is done, in the order of the list."""
    with ProcessPoolExecutor(min(PROCESSES, os.cpu_count() or 1)) as pool:
        running = {
            (name, policy): [pool.submit(_search, name, policy, seed, data) for seed in case.seeds]
            for name, case in CASES.items()
            for policy in case.policies
        }
        for name, case in CASES.items():
            found = {}
            for policy in case.policies:
                searches = [each.result() for each in running[name, policy]]
                found[policy] = {key: _mean_of([each[0][key] for each in searches]) for key in CRITERIA}
                figures = " ".join(f"{speed:.2f}" for speed in found[policy].values())
                replays, cpu_s = (sum(each[place] for each in searches) for place in (1, 2))
                say(f"routing: {name} {policy}: {figures} ({replays} replays, {cpu_s:.0f} s)")
            yield name, found


def _search(case: str, policy: str, seed: int, data: Path) -> tuple[dict[str, float], int, float]:
    begin = time.process_time()
    search = CapacitySearch(CASES[case].scenario(data, seed), policy, CASES[case].likely(policy))
    return search.capacities(), search.replays, time.process_time() - begin


def _mean_of(values: Sequence[float]) -> float:
    """The geometric mean: capacities are compared as ratios."""
    return float(prod(values) ** (1 / len(values)))


def _goals_of(case: str, found: Capacities) -> Iterator[Row]:
    """The goals that one case decides. Cases come after those that they are compared with."""
    trace, _, pool = case.rpartition("/")
    if case in (f"{WHOLE}/8", f"{HALF}/8"):
        yield from _goals_on_eight(found, case)
    elif trace in (WHOLE, HALF) and pool in ("16", "32"):
        yield _least(found, case, "late", "bound", 0.88)
    elif case == "invented-agents/8":
        yield _least(found, case, "late", "gie", 1.2)
        yield _least(found, case, "late", "bound", 0.83)
    elif pool == "4-and-4-slower":
        yield _least(found, case, "late", "gie", 1.6)
    elif pool == "bursts":
        yield _least(found, case, "late", "gie", 2.2)
    elif pool == "4-routers":
        yield _least(found, case, "late x 4", "gie x 4", 1.3)
    elif pool.startswith("belief"):
        least = min(_ratios(found[case]["late"], found[f"{HALF}/8"]["late"]))
        yield Row(f"routing/goal/{case}/late/least-of-right-belief", least, "x", 0.96, ">=")


def _goals_on_eight(found: Capacities, case: str) -> Iterator[Row]:
    yield _least(found, case, "late", "gie", 1.4)
    yield _mean(found, case, "late", "gie", 1.6)
    yield _least(found, case, "late", "gie-here", None)
    yield _mean(found, case, "late", "gie-here", None)
    for peer, goal in (("token-load", 1.12), ("dynamo", 1.5), ("rr", 3.5), ("bound", 0.82)):
        yield _least(found, case, "late", peer, goal)
    yield _mean(found, case, "late", "dynamo", None)
    yield _least(found, case, "early", "gie", 1.25)


def _goals_of_all(found: Capacities) -> Iterator[Row]:
    yield _no_regret(found)
    yield _anywhere(found, "early", "gie", 0.9)
    yield _anywhere(found, "early", "token-load", TIE)


def _least(found: Capacities, case: str, policy: str, peer: str, goal: float | None) -> Row:
    value = min(_ratios(found[case][policy], found[case][peer]))
    return Row(f"routing/goal/{case}/{policy}/least-of-{peer}", value, "x", goal, None if goal is None else ">=")


def _mean(found: Capacities, case: str, policy: str, peer: str, goal: float | None) -> Row:
    value = _mean_of(_ratios(found[case][policy], found[case][peer]))
    return Row(f"routing/goal/{case}/{policy}/mean-of-{peer}", value, "x", goal, None if goal is None else ">=")


def _ratios(ours: Mapping[str, float], theirs: Mapping[str, float]) -> list[float]:
    return [ours[name] / theirs[name] for name in CRITERIA]


def _anywhere(found: Capacities, policy: str, peer: str, goal: float) -> Row:
    """The smallest ratio over all cases and criteria."""
    both = [each for each in found.values() if policy in each and peer in each]
    least = min(ratio for each in both for ratio in _ratios(each[policy], each[peer]))
    return Row(f"routing/goal/anywhere/{policy}/least-of-{peer}", least, "x", goal, ">=")


def _no_regret(found: Capacities) -> Row:
    """Late beside the best peer of each case and criterion, the worst of all."""
    peers = ("gie", "gie-here", *PEERS)
    least = min(
        each["late"][name] / max(each[peer][name] for peer in peers if peer in each)
        for each in found.values()
        if "late" in each and "gie" in each
        for name in CRITERIA
    )
    return Row("routing/goal/anywhere/late/least-of-best-peer", least, "x", TIE, ">=")


def _tails(found: Capacities, data: Path) -> Iterator[Row]:
    """At 1.3 times the load that GIE carries with a mean TTFT of 2 s: who waits longest, over all seeds."""
    case = CASES[f"{HALF}/8"]
    speed = TAIL_SPEED * found[case.name]["gie"]["B"]
    scenarios = [case.scenario(data, seed) for seed in case.seeds]
    runs = {policy: [scenario.replay(policy, speed) for scenario in scenarios] for policy in ("gie", *OWN)}
    results = {policy: _pooled(each) for policy, each in runs.items()}
    for name, (least, most) in LENGTHS.items():
        times = {
            policy: result.ttft_s(0.99, least_tokens=least, most_tokens=most) for policy, result in results.items()
        }
        yield Row(f"routing/goal/tails/{name}/late/p99-ttft", times["late"], "s", times["gie"], "<=", times["gie"])
        yield Row(f"routing/tails/{name}/early/p99-ttft", times["early"], "s", baseline=times["gie"])
    worst = {policy: max(map(_worst_session, scenarios, each)) for policy, each in runs.items()}
    yield Row("routing/goal/tails/late/worst-session-of-its-line", worst["late"], "x", 1.5, "<=", worst["gie"])
    tpot = {policy: result.tpot_s(0.99) for policy, result in results.items()}
    yield Row("routing/goal/tails/late/p99-tpot-of-gie", tpot["late"] / tpot["gie"], "x", 1.1, "<=")


def _pooled(results: Sequence[Result]) -> Result:
    """The requests of several replays as one result: the longest prompts are few in each."""
    return Result([each for result in results for each in result.served], results[0].token_s)


def _worst_session(scenario: Scenario, result: Result) -> float:
    """Of sessions with three turns or more: mean TTFT as a share of the mean of their lines, the largest."""
    times = {each.request.id: each.ttft_s for each in result.served}

    def share(turns: list[TraceRequest]) -> float:
        waited = sum(float("inf") if times[each.id] is None else times[each.id] or 0.0 for each in turns)
        return waited / sum(line_s(each.prompt_tokens, result.token_s) for each in turns)

    return max((share(turns) for turns in sessions(scenario.trace).values() if len(turns) >= 3), default=0.0)
