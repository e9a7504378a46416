"""The machine that we stand on, from recorded answers of its driver."""

import json

import pytest

from bayplan.cluster.mig import MigState
from bayplan.cluster.utilization import GpuUtilization
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.local import DriverError, read_local
from unit.manifests.inventory.builders import FIXTURES


class Recording:
    """Answers as NVML did when they were written down; what is not there was not answered."""

    def __init__(self, answers):
        self._answers = answers

    def ask(self, question, *cards):
        answers = self._answers.get(question, {})
        key = ",".join(map(str, cards))
        if key not in answers:
            raise DriverError(question)
        return answers[key]


def recorded():
    return json.loads((FIXTURES / "nvml.json").read_text())


def local(answers):
    return read_local(Recording(answers), "box", cpu_milli=96000, ram_mib=1000).cluster.workers[0]


def test_eight_cards():
    worker = local(recorded())

    assert (worker.name, worker.cpu_milli, worker.ram_mib) == ("box", 96000, 1000)
    assert len(worker.gpus) == 8
    first = worker.gpus[0]
    assert (first.model, first.memory_mib, first.pcie_gen, first.numa) == ("NVIDIA A100-SXM4-40GB", 40960, 4, 0)
    assert (first.observed_used_mib, first.mig) == (624, None)
    assert len({gpu.uuid for gpu in worker.gpus}) == 8
    assert worker.links.smallest_bandwidth(range(8)) == 600
    assert worker.utilization.age_s == 0
    assert worker.utilization.gpus[1] == GpuUtilization(1, gpu_percent=93, memory_bandwidth_percent=41)


def test_cards_that_are_cut():
    worker = local(recorded())

    assert worker.gpus[7].mig == MigState()
    assert dict(worker.mig_slices) == {"1g.5gb": 2, "3g.20gb": 1}


def test_a_pair_without_nvlink_is_pcie():
    answers = recorded()
    answers["DeviceGetP2PStatus"]["0,1"] = 5

    assert local(answers).links.between(0, 1).kind == "pcie"


def test_what_the_driver_does_not_answer_is_unknown():
    worker = local({"DeviceGetCount": {"": 2}})

    assert [(gpu.model, gpu.memory_mib, gpu.uuid, gpu.pcie_gen) for gpu in worker.gpus] == [(None,) * 4] * 2
    assert (worker.links, worker.utilization) == (None, None)


def test_a_driver_without_cards_is_told():
    with pytest.raises(InputError, match="NVML: the driver has no GPU; run it on a machine with an NVIDIA GPU"):
        local({"DeviceGetCount": {"": 0}})
