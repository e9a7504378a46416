"""NUMA zones and load."""

from __future__ import annotations

import pytest

from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.manifests.native.measurements import read_numa, read_utilization
from unit.manifests.opened import opened, places

NUMA = {
    "unknown": (None, None),
    "nothing said": ({}, Numa()),
    "zones by position": ({"zones": [{}, {}]}, Numa(zones=(NumaZone(0), NumaZone(1)))),
    "everything": (
        {"policy": "single-numa-node", "scope": "pod",
         "zones": [{"id": 0, "cpu": 3, "ram": "32Gi", "distances": [10, 20]}, {"id": 2, "cpu": "500m", "ram": 512}]},
        Numa("single-numa-node", "pod", (NumaZone(0, 3000, 32768, {0: 10, 2: 20}), NumaZone(2, 500, 512)))),
    "distances by id": (
        {"zones": [{"id": 4, "distances": {"4": 10, "7": 21}}, {"id": 7}]},
        Numa(zones=(NumaZone(4, distances={4: 10, 7: 21}), NumaZone(7)))),
}  # fmt: skip


@pytest.mark.parametrize(("data", "numa"), NUMA.values(), ids=NUMA)
def test_numa(data, numa):
    fields = opened({"numa": data})

    assert read_numa(fields) == numa
    fields.finish()
    assert not fields.findings.errors
    assert not fields.findings.warnings


BAD_NUMA = {
    "a policy that nobody knows": ({"policy": "strict"}, ["numa.policy"]),
    "a scope that nobody knows": ({"scope": "node"}, ["numa.scope"]),
    "a zone twice": ({"zones": [{"id": 1}, {"id": 1}]}, ["numa.zones[1].id"]),
    "more distances than zones": ({"zones": [{"distances": [1, 2]}]}, ["numa.zones[0].distances"]),
    "a distance to nowhere": ({"zones": [{"distances": {"9": 1}}]}, ["numa.zones[0].distances.9"]),
    "no amount": ({"zones": [{"cpu": "x", "ram": -1}]}, ["numa.zones[0].cpu", "numa.zones[0].ram"]),
}


@pytest.mark.parametrize(("data", "where"), BAD_NUMA.values(), ids=BAD_NUMA)
def test_numa_refused(data, where):
    fields = opened({"numa": data})
    read_numa(fields)

    assert places(fields) == where


UTILIZATION = {
    "nothing measured": (None, None),
    "nothing said": ({}, Utilization()),
    "everything": (
        {"ageSeconds": 5, "cpuPercent": 10, "cpuStdev": "20%", "ramPercent": 30, "ramStdev": 40,
         "gpus": [{"runtime": "rocm", "index": 2, "gpuPercent": 1, "gpuStdev": 2, "memoryPercent": 3, "memoryStdev": 4,
                   "memoryBandwidthPercent": 5, "cyclic": True, "period": "1m", "jobType": "DLT"}]},
        Utilization(5.0, 10.0, 20.0, 30.0, 40.0,
                    (GpuUtilization(2, "rocm", 1.0, 2.0, 3.0, 4.0, 5.0, True, 60.0, "DLT"),))),
    "cards by position": (
        {"gpus": [{}, {"gpuPercent": 7}]},
        Utilization(gpus=(GpuUtilization(0), GpuUtilization(1, gpu_percent=7.0)))),
}  # fmt: skip


@pytest.mark.parametrize(("data", "measured"), UTILIZATION.values(), ids=UTILIZATION)
def test_utilization(data, measured):
    fields = opened({"utilization": data})

    assert read_utilization(fields) == measured
    fields.finish()
    assert not fields.findings.errors
    assert not fields.findings.warnings


def test_more_than_everything_is_no_percentage():
    fields = opened({"utilization": {"cpuPercent": 101, "gpus": [{"gpuPercent": -1}]}})
    read_utilization(fields)

    assert sorted(places(fields)) == ["utilization.cpuPercent", "utilization.gpus[0].gpuPercent"]


def test_a_card_measured_twice():
    fields = opened({"utilization": {"gpus": [{"index": 0}, {"index": 0}]}})
    read_utilization(fields)

    assert places(fields) == ["utilization.gpus[1].index"]
