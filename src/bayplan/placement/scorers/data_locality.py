"""Prefer the worker that is near to the services that the workload talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.topology import NOWHERE, SAME_WORKER
from bayplan.placement.factors.nearness import nearest, undecided
from bayplan.placement.factors.parts import NEUTRAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.snapshot import Hosts
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class DataLocality:
    """Scores the mean over the services in `near` of how near the nearest worker is that hosts the service.

    The same worker counts 1, the same rack 0.8, block 0.6, zone 0.4, region 0.2, anything else 0; levels that one of
    the two does not name are passed over, and the note says which of them could bring the worker nearer. A service that
    no worker hosts counts 0 and is named in the note. Without `near` every worker scores 0.5.
    """

    name = "data-locality"
    reads = ("path_id", "uid_hash", "hosts", "pools")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if not ask.near:
            return np.full(rows.size, NEUTRAL)
        total = np.zeros(rows.size)
        for service in ask.near:
            total += _closeness(rows, rows.hosts.get(service, ()))
        return total / len(ask.near)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        if not ask.near:
            return ["neutral: the workload names no service"] * rows.size
        missing = [service for service in ask.near if service not in rows.hosts]
        unhosted = f"no worker hosts {', '.join(missing)}" if missing else ""
        unknown: list[dict[str, None]] = [{} for _ in range(rows.size)]
        for service in ask.near:
            for row, text in _unknown(rows, service, rows.hosts.get(service, ())):
                unknown[row][text] = None
        return ["; ".join(filter(None, (unhosted, f"not known: {', '.join(each)}" * bool(each)))) for each in unknown]


def _unknown(rows: Rows, service: str, hosts: Hosts) -> Iterator[tuple[int, str]]:
    """Of rows that do not host the service themselves, what would have to be known to say how near it is."""
    if not hosts:
        return
    used, which = np.unique(rows.path_id, return_inverse=True)
    paths = [rows.pools.paths[number] for number in used.tolist()]
    levels = undecided(paths, [path for _, path in hosts])
    for row in np.flatnonzero(~_hosts_it(rows, hosts)).tolist():
        path, level = paths[which[row]], levels[which[row]]
        if path == NOWHERE and level is not None:
            yield row, "its place"
        elif level is not None:
            yield row, f"its {level}" if path.names[level.depth] is None else f"the {level} of {service}"


def _hosts_it(rows: Rows, hosts: Hosts) -> BoolArray:
    return np.isin(rows.uid_hash, np.array([uid for uid, _ in hosts], np.int64))


def _closeness(rows: Rows, hosts: Hosts) -> FloatArray:
    if not hosts:
        return np.zeros(rows.size)
    used, which = np.unique(rows.path_id, return_inverse=True)
    paths = [rows.pools.paths[number] for number in used.tolist()]
    near: FloatArray = nearest(paths, [path for _, path in hosts])[which]
    near[_hosts_it(rows, hosts)] = SAME_WORKER
    return near
