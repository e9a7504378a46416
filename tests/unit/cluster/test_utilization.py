"""Measurements: found by card, and never below nothing."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import CardId
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.framework.errors import InputError

MEASURED = Utilization(
    gpus=(GpuUtilization(0, gpu_percent=90.0), GpuUtilization(0, runtime="rocm", gpu_percent=10.0)),
)
OF = {
    "the card": (CardId("cuda", 0), 90.0),
    "another vendor's card of that index": (CardId("rocm", 0), 10.0),
    "not measured": (CardId("cuda", 1), None),
}


@pytest.mark.parametrize(("card", "percent"), OF.values(), ids=OF)
def test_the_measurements_of_a_card(card, percent):
    found = MEASURED.of(card)

    assert (found.gpu_percent if found else None) == percent


def test_what_was_not_measured_is_not_idle():
    assert GpuUtilization(0).gpu_percent is None
    assert Utilization().age_s is None


CARD_FIELDS = {
    "index": "index",
    "gpu_percent": "gpuPercent",
    "gpu_stdev": "gpuStdev",
    "memory_percent": "memoryPercent",
    "memory_stdev": "memoryStdev",
    "memory_bandwidth_percent": "memoryBandwidthPercent",
    "period_s": "period",
}
WORKER_FIELDS = {
    "age_s": "ageSeconds",
    "cpu_percent": "cpuPercent",
    "cpu_stdev": "cpuStdev",
    "ram_percent": "ramPercent",
    "ram_stdev": "ramStdev",
}


@pytest.mark.parametrize(("field", "place"), CARD_FIELDS.items())
def test_a_card_measures_nothing_negative(field, place):
    with pytest.raises(InputError) as caught:
        GpuUtilization(**{"index": 0, field: -1})

    assert caught.value.place == place


@pytest.mark.parametrize(("field", "place"), WORKER_FIELDS.items())
def test_a_worker_measures_nothing_negative(field, place):
    with pytest.raises(InputError) as caught:
        Utilization(**{field: -1.0})

    assert caught.value.place == place


def test_a_card_is_measured_once():
    with pytest.raises(InputError, match="cuda:0 is measured twice") as caught:
        Utilization(gpus=(GpuUtilization(0), GpuUtilization(1), GpuUtilization(0)))

    assert caught.value.place == "gpus[2].index"
