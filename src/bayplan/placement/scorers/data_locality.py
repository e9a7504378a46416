"""Prefer the worker that is near to the services that the workload talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.topology import NOWHERE, SAME_WORKER
from bayplan.placement.distinct import told
from bayplan.placement.nearness import nearest
from bayplan.placement.parts import NEUTRAL

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Hosts
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
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
            return ["not known: near"] * rows.size
        missing = [service for service in ask.near if service not in rows.hosts]
        nobody = f"nobody hosts {', '.join(missing)}" if missing else ""
        paths = rows.pools.paths
        unplaced = told(rows.path_id, lambda number: "not known: where it stands" if paths[number] == NOWHERE else "")
        return ["; ".join(filter(None, (nobody, each))) for each in unplaced]


def _closeness(rows: Rows, hosts: Hosts) -> FloatArray:
    if not hosts:
        return np.zeros(rows.size)
    used, which = np.unique(rows.path_id, return_inverse=True)
    paths = [rows.pools.paths[number] for number in used.tolist()]
    near: FloatArray = nearest(paths, [path for _, path in hosts])[which]
    near[np.isin(rows.uid_hash, [uid for uid, _ in hosts])] = SAME_WORKER
    return near
