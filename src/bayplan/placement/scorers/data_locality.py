"""Prefer the worker that is near to the services that the workload talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.topology import NOWHERE, SAME_WORKER
from bayplan.placement.distinct import judged
from bayplan.placement.nearness import nearest
from bayplan.placement.parts import NEUTRAL

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Hosts
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask


class DataLocality:
    """Scores the mean over the services in `near` of how near the nearest worker is that hosts the service.

    The same worker counts 1, the same rack 0.8, block 0.6, zone 0.4, region 0.2, anything else 0; levels that one of
    the two does not name are passed over. A service that nobody hosts counts 0 and is named in the note. Without
    `near` every worker scores 0.5.
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
        nobody = f"nobody hosts {', '.join(missing)}" if missing else ""
        unplaced = "; ".join(filter(None, (nobody, "not known: where it stands")))
        return [unplaced if each else nobody for each in _unplaced(ask, rows)]


def _unplaced(ask: Ask, rows: Rows) -> list[bool]:
    """Whether a row's place matters and is not known: it does where somebody else hosts a service."""
    paths = rows.pools.paths
    nowhere = judged(rows.path_id, lambda number: paths[number] == NOWHERE)
    elsewhere = np.zeros(rows.size, np.bool_)
    for service in ask.near:
        elsewhere |= ~_hosts_it(rows, rows.hosts.get(service, ()))
    unplaced: list[bool] = (nowhere & elsewhere).tolist()
    return unplaced


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
