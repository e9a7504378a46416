"""What was measured on a worker: its NUMA zones and its load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.manifests.fields import present
from bayplan.manifests.values import (
    capacity_cpu_milli,
    capacity_mib,
    count,
    duration_s,
    flag,
    name,
    number,
    percent,
    text,
    word_of,
)

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

POLICIES = ("none", "best-effort", "restricted", "single-numa-node")
SCOPES = ("container", "pod")


def read_numa(worker: Fields) -> Numa | None:
    """The NUMA zones of a worker; None where they are not given."""
    if "numa" not in worker:
        worker.ignore("numa")
        return None
    fields = worker.child("numa")
    zones = fields.children("zones")
    ids = [zone.read("id", count, position) for position, zone in enumerate(zones)]
    found = [_zone(zone, zone_id, ids) for zone, zone_id in zip(zones, ids, strict=True)]
    numa = fields.build(
        Numa,
        policy=fields.read("policy", word_of(POLICIES), "none"),
        scope=fields.read("scope", word_of(SCOPES), "container"),
        zones=present(found),
    )
    fields.finish()
    return numa


def _zone(fields: Fields, zone_id: int, ids: list[int]) -> NumaZone | None:
    zone = fields.build(
        NumaZone,
        id=zone_id,
        cpu_milli=fields.read("cpu", capacity_cpu_milli),
        ram_mib=fields.read("ram", capacity_mib),
        distances=_distances(fields, ids),
    )
    fields.finish()
    return zone


def _distances(zone: Fields, ids: list[int]) -> FrozenMap[int, int]:
    """Distances by the id of the other zone; a list has them in the order of the zones."""
    if isinstance(zone.raw("distances"), Mapping):
        listed = zone.mapping("distances", count)
        zones = {str(each): each for each in ids}
        for other in listed.keys() - zones.keys():
            zone.add(f"there is no zone {other!r}", "distances", other, next=f"the zones are {', '.join(zones)}")
        return FrozenMap({zones[other]: distance for other, distance in listed.items() if other in zones})
    given = zone.each("distances", count)
    if len(given) > len(ids):
        zone.add(f"{len(given)} distances for {len(ids)} zones", "distances", next="give one a zone, in their order")
    return FrozenMap(zip(ids, given, strict=False))


def read_utilization(worker: Fields) -> Utilization | None:
    """The load of a worker and its cards, in percent; None where nothing was measured."""
    if "utilization" not in worker:
        worker.ignore("utilization")
        return None
    fields = worker.child("utilization")
    cards = [_card(each, position) for position, each in enumerate(fields.children("gpus"))]
    found = fields.build(
        Utilization,
        age_s=fields.read("ageSeconds", number),
        **_percents(fields, "cpuPercent", "cpuStdev", "ramPercent", "ramStdev"),
        gpus=present(cards),
    )
    fields.finish()
    return found


def _card(fields: Fields, position: int) -> GpuUtilization | None:
    percents = ("gpuPercent", "gpuStdev", "memoryPercent", "memoryStdev", "memoryBandwidthPercent")
    found = fields.build(
        GpuUtilization,
        index=fields.read("index", count, position),
        runtime=fields.read("runtime", name, "cuda"),
        **_percents(fields, *percents),
        cyclic=fields.read("cyclic", flag),
        period_s=fields.read("period", duration_s),
        job_type=fields.read("jobType", text),
    )
    fields.finish()
    return found


def _percents(fields: Fields, *keys: str) -> dict[str, Any]:
    return {PERCENTS[key]: fields.read(key, percent) for key in keys}


PERCENTS = {
    "cpuPercent": "cpu_percent",
    "cpuStdev": "cpu_stdev",
    "ramPercent": "ram_percent",
    "ramStdev": "ram_stdev",
    "gpuPercent": "gpu_percent",
    "gpuStdev": "gpu_stdev",
    "memoryPercent": "memory_percent",
    "memoryStdev": "memory_stdev",
    "memoryBandwidthPercent": "memory_bandwidth_percent",
}
