"""One worker, or several alike."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.numa import Numa
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.utilization import Utilization
from bayplan.cluster.worker import Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.native.cards import Shelf
from bayplan.manifests.native.worker import parse_mig_config, read_worker
from unit.manifests.opened import opened, places


def read(data):
    fields = opened(data)
    return read_worker(fields, Shelf()), fields


def test_a_name_is_enough():
    assert read({"name": "a"})[0] == [Worker("a")]


def test_everything():
    found, fields = read(
        {
            "name": "a",
            "status": "draining",
            "labels": {"tier": "gold", "gen": 4},
            "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
            "region": "r",
            "zone": "z",
            "block": "b",
            "rack": 12,
            "nvlinkDomain": "n",
            "cpu": 64,
            "ram": "256Gi",
            "gpus": {"count": 2, "model": "A100-SXM4-40GB", "memory": "40Gi"},
            "links": "nvswitch",
            "migSlices": {"1g.5gb": 7},
            "usdPerHour": 32.77,
            "spot": True,
            "powerWatts": 6500,
            "carbonGramsPerKwh": 380,
            "cachedModels": {"llama": 0.9, "other": None},
            "services": ["redis"],
            "reserved": {"ram": "2Gi", "gpuMemory": "1Gi"},
            "numa": {},
            "utilization": {},
            "uid": "u-1",
        }
    )
    cards = tuple(Gpu(index, model="A100-SXM4-40GB", memory_mib=40960) for index in range(2))

    assert not fields.findings.errors
    assert not fields.findings.warnings
    assert found == [
        Worker(
            "a",
            WorkerStatus.DRAINING,
            {"tier": "gold", "gen": "4"},
            (Taint("gpu", TaintEffect.NO_SCHEDULE, "yes"),),
            TopologyPath("r", "z", "b", "12", "n"),
            64_000,
            262_144,
            cards,
            wire(Wiring.NVSWITCH, cards),
            {"1g.5gb": 7},
            32.77,
            True,
            6500.0,
            380.0,
            {"llama": 0.9, "other": None},
            ("redis",),
            2048,
            1024,
            Numa(),
            Utilization(),
            "u-1",
        )
    ]


def test_several_alike():
    found, _ = read({"name": "w", "count": 3, "gpus": {"count": 8}})

    assert [worker.name for worker in found] == ["w-0", "w-1", "w-2"]
    assert len({worker.uid for worker in found}) == 3
    assert found[0].gpus is found[2].gpus


@pytest.mark.parametrize(("count", "names"), [(0, []), (1, ["w-0"])])
def test_few_alike(count, names):
    assert [worker.name for worker in read({"name": "w", "count": count})[0]] == names


def test_cached_models_of_unknown_hit_rate():
    assert read({"name": "a", "cachedModels": ["x", "y"]})[0][0].cached_models == {"x": None, "y": None}


def test_slices_in_the_label_of_the_guide():
    (worker,), _ = read({"name": "a", "labels": {"neuronetes.io/mig-config": "1g.5gb:7,2g.10gb:3"}})

    assert worker.mig_slices == {"1g.5gb": 7, "2g.10gb": 3}


def test_slices_of_our_own_go_before_the_label():
    labels = {"neuronetes.io/mig-config": "1g.5gb:7"}

    assert read({"name": "a", "labels": labels, "migSlices": {"2g.10gb": 1}})[0][0].mig_slices == {"2g.10gb": 1}


REFUSED = {
    "no name": ({}, ["name"]),
    "an empty name": ({"name": ""}, ["name"]),
    "a status that nobody knows": ({"status": "Ready"}, ["status"]),
    "a label that is no text": ({"labels": {"a.b/c": 1.5}}, ['labels["a.b/c"]']),
    "a taint without an effect": ({"taints": [{"key": "a"}]}, ["taints[0].effect"]),
    "no size": ({"ram": "lots"}, ["ram"]),
    "a negative price": ({"usdPerHour": -1}, ["usdPerHour"]),
    "a hit rate above one": ({"cachedModels": {"m": 2}}, ["cachedModels.m"]),
    "slices that are no number": ({"migSlices": {"1g.5gb": "x"}}, ['migSlices["1g.5gb"]']),
    "a label of slices that cannot be read": (
        {"labels": {"neuronetes.io/mig-config": "seven"}},
        ['labels["neuronetes.io/mig-config"]'],
    ),
    "reserves": ({"reserved": {"ram": "x", "gpuMemory": -1}}, ["reserved.ram", "reserved.gpuMemory"]),
    "a flag that is none": ({"spot": "sometimes"}, ["spot"]),
    "a card twice": ({"gpus": [{"index": 0}, {"index": 0}]}, ["gpus[1].index"]),
    "links are not judged by cards that cannot be read": (
        {"gpus": [{"memory": "x"}], "links": [[0, 1, "nvlink"]]},
        ["gpus[0].memory"],
    ),
    "links and something else": (
        {"gpus": {"count": 2}, "links": [[0, 7, "nvlink"]], "cpu": "x"},
        ["cpu", "links[0][1]"],
    ),
}


@pytest.mark.parametrize(("data", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(data, where):
    found, fields = read(data if data == {} else {"name": "a"} | data)

    assert found == []
    assert places(fields) == where


def test_a_misspelt_field_is_told():
    assert "did you mean 'nvlinkDomain'?" in read({"name": "a", "nvLinkDomain": "x"})[1].findings.warnings[0]


CONFIGS = {
    "": {},
    "1g.5gb:7": {"1g.5gb": 7},
    " 1g.5gb : 7 , 2g.10gb:3,": {"1g.5gb": 7, "2g.10gb": 3},
    "1g.5gb:1,1g.5gb:2": {"1g.5gb": 3},
}


@pytest.mark.parametrize(("text", "slices"), CONFIGS.items())
def test_mig_config(text, slices):
    assert parse_mig_config(text) == slices


@pytest.mark.parametrize("text", ["7", ":7", "1g.5gb:x", "1g.5gb:-1"])
def test_mig_config_refused(text):
    with pytest.raises(InputError):
        parse_mig_config(text)
