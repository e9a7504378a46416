"""How much of a cluster's cards policies give away: the openb traces, replayed through the product's own scheduler.

Workloads arrive one by one and never leave; one that fits nowhere is dropped. Of each bucket, the percent of all cards
that arrived so far, rounded, the mean of the percent that is given away counts.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from bayplan.cluster.snapshot import Snapshot
from bayplan.library.registry import all_plugins, read_config
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.packing.mix import Mix
from bench import openb
from bench.measure import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bayplan.cluster.worker import Worker
    from bayplan.placement.asks.ask import Ask
    from bench.openb import Trace

PERCENTS = (80, 90, 95, 100, 110, 120, 130)
POLICIES: dict[str, str | None] = {
    "headroom": None,
    "headroom-learnt": None,
    "fgd": "06-FGD",
    "best-fit": "05-BestFit",
    "gpu-packing": "04-GpuPacking",
    "gpu-clustering": "03-GpuClustering",
    "dot-product": "02-DotProd",
    "random": "01-Random",
    "pwr": None,
}
"""Each with the name under which its figures were published."""

GOALS = {
    ("default", "headroom", 100): 96.0,
    ("default", "headroom", 130): 96.1,
    ("gpuspec33", "headroom", 100): 95.0,
    ("default", "headroom-learnt", 100): 95.8,
    ("default", "headroom-learnt", 130): 95.9,
    ("gpuspec33", "headroom-learnt", 100): 94.4,
}
BAR = "06-FGD"
MEAN_LOSS, WORST_LOSS = 0.1, 0.5

Buckets = dict[int, float]


def rows(say: Callable[[str], None], data: Path | None = None) -> Iterator[Row]:
    """All figures. POLICIES=a,b TRACES=x,y and SEEDS=42,43 in the environment look at some only."""
    if data is None or not (data / "arrivals").is_dir():
        say("packing: no traces; give a folder with arrivals/ by --data")
        return
    workers = openb.workers(data)
    losses: dict[str, dict[str, list[float]]] = {}
    for trace in openb.traces(data):
        if not _wanted("TRACES", trace.name):
            continue
        seeds = [seed for seed in trace.arrivals if _wanted("SEEDS", str(seed))]
        if not seeds:
            continue
        known = openb.published(data, trace.name, set(seeds))
        for policy, published in POLICIES.items():
            if not _wanted("POLICIES", policy):
                continue
            began = time.process_time()
            runs = [replay(workers, _order(trace, seed), policy, trace.asks) for seed in seeds]
            spent = time.process_time() - began
            means = _mean(runs)
            say(f"packing/{trace.name}/{policy}: {len(runs)} runs, {spent / max(1, len(runs)):.1f} s each")
            beside = known.get(published or BAR, {})
            for percent, value in means.items():
                yield _row(trace.name, policy, percent, value, beside.get(percent), known.get(BAR, {}))
            _count_losses(losses.setdefault(policy, {}), trace.name, means, known.get(BAR, {}))
            if policy == "headroom" and trace.name == "default":
                decisions = sum(len(trace.arrivals[seed]) for seed in seeds)
                yield Row("packing/speed/headroom", decisions / spent, "/s")
    for policy in ("headroom", "headroom-learnt"):
        yield from _early(policy, losses.get(policy, {}))


def replay(workers: Sequence[Worker], arriving: Sequence[Ask], policy: str, listed: Sequence[Ask]) -> Buckets:
    """One order of arrival under one policy; `listed` is the mix of workloads, for policies that use it."""
    mix = Mix.of(listed) if policy in ("headroom", "fgd") else Mix() if policy == "headroom-learnt" else None
    placer = _placer(workers, policy, mix)
    table, strategy = placer.snapshot.table, _strategy(policy)
    capacity = openb.WHOLE_MILLI * sum(len(worker.gpus) for worker in workers)
    arrived = given = 0
    sums: dict[int, list[float]] = {}
    for number, ask in enumerate(arriving):
        if mix is not None:
            mix.observe(ask)
        outcome = placer.place(Subject("pod", number), strategy, (ask,), seed=number, reasons=False)
        size = openb.size_milli(ask)
        arrived += size
        for pick in outcome.picked:
            given += size
            for row, values in pick.resolution.writes.items():
                table.write(row, values)
        bucket = sums.setdefault(int(100 * arrived / capacity + 0.5), [0, 0.0])
        bucket[0] += 1
        bucket[1] += round(100 * given / capacity, 2)
    return {percent: total / count for percent, (count, total) in sums.items() if percent in PERCENTS}


def _strategy(policy: str) -> str:
    """Who knows the mix packs; who learns it asks for `headroom` by name, because `pack` waits for the thousandth."""
    return "pack" if policy == "headroom" else "headroom" if policy == "headroom-learnt" else policy


def _placer(workers: Sequence[Worker], policy: str, mix: Mix | None) -> Strategies:
    """The product's profile of one scorer, with all its filters; `pack` looks ahead by itself once it knows the mix."""
    name = _strategy(policy)
    used = {"pack": ["binpack", "max-score"], "random": ["random"]}.get(name, [name, "max-score"])
    document: dict[str, Any] = {
        "scheduler": "placement",
        "plugins": [{"type": each} for each in used],
        "schedulingProfiles": [{"name": name, "plugins": [{"pluginRef": each} for each in used]}],
    }
    profiles = read_config(document, all_plugins()).profiles
    return Strategies(Snapshot.load(workers), {profile.name: profile for profile in profiles}, mix=mix)


def _order(trace: Trace, seed: int) -> list[Ask]:
    return [trace.asks[place] for place in trace.arrivals[seed]]


def _mean(runs: Sequence[Buckets]) -> Buckets:
    found = {}
    for percent in PERCENTS:
        values = [run[percent] for run in runs if percent in run]
        if values:
            found[percent] = sum(values) / len(values)
    return found


def _row(trace: str, policy: str, percent: int, value: float, beside: float | None, bar: Buckets) -> Row:
    goal = GOALS.get((trace, policy, percent))
    if goal is None and policy == "headroom" and percent >= 100:
        goal = bar.get(percent)
    return Row(f"packing/{trace}/{policy}/{percent}", value, "%", goal, None if goal is None else ">=", beside)


def _count_losses(losses: dict[str, list[float]], trace: str, means: Buckets, bar: Buckets) -> None:
    losses[trace] = [bar[percent] - means[percent] for percent in (80, 90, 95) if percent in means and percent in bar]


def _early(policy: str, losses: dict[str, list[float]]) -> Iterator[Row]:
    """What is lost against published FGD rows before the cluster is full, over all traces."""
    every = [loss for each in losses.values() for loss in each]
    if every:
        yield Row(f"packing/early-loss/{policy}/mean", sum(every) / len(every), "points", MEAN_LOSS, "<=")
        yield Row(f"packing/early-loss/{policy}/worst", max(every), "points", WORST_LOSS, "<=")


def _wanted(variable: str, name: str) -> bool:
    chosen = os.environ.get(variable, "")
    return not chosen or name in chosen.split(",")
