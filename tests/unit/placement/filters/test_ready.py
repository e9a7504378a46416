"""Only a ready worker takes new work."""

import pytest

from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.filters.ready import Ready
from unit.placement.builders import ask, judge, keeps_its_promises, worker

CASES = {
    "ready": (WorkerStatus.READY, None, ""),
    "not ready": (WorkerStatus.NOT_READY, "not-ready", "is not ready: it does not answer"),
    "cordoned": (WorkerStatus.CORDONED, "cordoned", "is cordoned: closed to new work"),
    "draining says so": (WorkerStatus.DRAINING, "cordoned", "is draining: its work is moved away"),
}


@pytest.mark.parametrize(("status", "code", "says"), CASES.values(), ids=CASES)
def test_status(status, code, says):
    verdict = judge(Ready(), ask(), worker(status=status))

    assert (verdict.code, verdict.curable) == (code, False)
    assert says in (verdict.message if code else "")


def test_contract():
    keeps_its_promises(Ready(), [worker(status=status) for status in WorkerStatus], [ask()])
    assert Ready.required
