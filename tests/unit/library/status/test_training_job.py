import pytest

from bayplan.library.status.pod_facts import Tally
from bayplan.library.status.training_job import LAUNCHER, TrainingJob
from unit.library.status.observed import pods

JOB = {"kind": "HorovodJob", "metadata": {"name": "fit"}, "spec": {}}
COMPLETE = {**JOB, "status": {"conditions": [{"type": "Complete", "status": "True", "reason": "R", "message": "m"}]}}
FAILED = {**JOB, "status": {"conditions": [{"type": "Failed", "status": "True", "reason": "R", "message": "m"}]}}

STAGES = {
    "nothing is there": (JOB, False, {}, {}, "Waiting"),
    "all wait": (JOB, False, {"waiting": 2}, {}, "Waiting"),
    "one waits": (JOB, False, {"running": 1, "waiting": 1}, {}, "Waiting"),
    "all start": (JOB, False, {"starting": 2}, {}, "Pending"),
    "all run": (JOB, False, {"running": 2}, {}, "Running"),
    "one is done": (JOB, False, {"running": 1, "succeeded": 1}, {}, "Running"),
    "all are done": (JOB, False, {"succeeded": 2}, {}, "Complete"),
    "some failures are allowed": (JOB, False, {"running": 2, "failed": 6}, {}, "Running"),
    "not so many": (JOB, False, {"running": 2, "failed": 7}, {}, "Failed"),
    "workers of a launcher may end": (JOB, True, {"succeeded": 2}, {}, "Running"),
    "the launcher is done": (JOB, True, {"running": 2}, {"succeeded": 1}, "Complete"),
    "a launcher may fail once": (JOB, True, {"running": 2}, {"failed": 1}, "Running"),
    "but not twice": (JOB, True, {"running": 2}, {"failed": 2}, "Failed"),
    "an end stays": (COMPLETE, False, {}, {}, "Complete"),
    "a failure stays": (FAILED, True, {"running": 2}, {"succeeded": 1}, "Failed"),
}  # fmt: skip


def job(document, launched, workers, launchers):
    there = Tally.sum([pods(**workers), pods(role=LAUNCHER, **launchers)])
    return TrainingJob(document, 2, launched, there)


@pytest.mark.parametrize(("document", "launched", "workers", "launchers", "stage"), STAGES.values(), ids=STAGES)
def test_stages(document, launched, workers, launchers, stage):
    assert job(document, launched, workers, launchers).stage == stage


def test_conditions_on_the_way_and_at_the_end():
    def said(found):
        return [(each.type, each.status, each.reason) for each in found.conditions]

    assert said(job(JOB, False, {"refused": 2}, {})) == [
        ("Scheduled", "False", "Unschedulable"),
        ("Running", "False", "Waiting"),
    ]
    assert said(job(JOB, False, {"running": 2}, {})) == [
        ("Scheduled", "True", "Scheduled"),
        ("Running", "True", "Running"),
    ]
    assert said(job(JOB, True, {"running": 2}, {"succeeded": 1})) == [("Complete", "True", "Succeeded")]
    assert said(job(FAILED, True, {}, {})) == [("Failed", "True", "R")]


def test_a_job_that_cannot_be_read_has_failed():
    found = TrainingJob(JOB, 0, False, pods(), "spec: is missing")

    assert found.stage == "Failed"
    assert found.conditions[0].reason == "InvalidSpec"
