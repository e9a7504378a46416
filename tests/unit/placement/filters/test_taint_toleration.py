"""Taints repel whoever does not tolerate them."""

import pytest

from bayplan.cluster.taint import Taint, TaintEffect, Toleration
from bayplan.placement.filters.taint_toleration import TaintToleration
from unit.placement.builders import ask, judge, keeps_its_promises, verdicts, worker

GPU = Taint("gpu", TaintEffect.NO_SCHEDULE, "only")
LEAVING = Taint("leaving", TaintEffect.NO_EXECUTE)
SHY = Taint("shy", TaintEffect.PREFER_NO_SCHEDULE)
EVERYTHING = Toleration(operator="Exists")
GPU_TOO = Toleration("gpu", value="only")

CASES = {
    "no taint": ((), (), None),
    "a taint": ((GPU,), (), "taint"),
    "a taint that throws out": ((LEAVING,), (), "taint"),
    "a mere wish": ((SHY,), (), None),
    "tolerated": ((GPU,), (GPU_TOO,), None),
    "another value is tolerated": ((GPU,), (Toleration("gpu", value="x"),), "taint"),
    "one of two is tolerated": ((GPU, LEAVING), (GPU_TOO,), "taint"),
    "both are tolerated": ((GPU, LEAVING), (EVERYTHING,), None),
}


@pytest.mark.parametrize(("taints", "tolerations", "code"), CASES.values(), ids=CASES)
def test_taints(taints, tolerations, code):
    verdict = judge(TaintToleration(), ask(tolerations=tolerations), worker(taints=taints))

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_names_the_taints_that_repel_and_no_others():
    one = worker("one", taints=(GPU, LEAVING, SHY))
    two = worker("two", taints=(LEAVING,))
    said = verdicts(TaintToleration(), ask(), one, two)

    assert (
        said["one"].message
        == "has the taints gpu=only:NoSchedule, leaving:NoExecute, which the workload does not tolerate"
    )
    assert said["two"].message == "has the taint leaving:NoExecute, which the workload does not tolerate"
    spared = judge(TaintToleration(), ask(tolerations=(GPU_TOO,)), one)
    assert spared.message == "has the taint leaving:NoExecute, which the workload does not tolerate"


def test_contract():
    workers = [worker(taints=taints) for taints, _, _ in CASES.values()]
    keeps_its_promises(TaintToleration(), workers, [ask(), ask(tolerations=(GPU_TOO,)), ask(tolerations=(EVERYTHING,))])
    assert TaintToleration.required
