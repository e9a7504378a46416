from bayplan.library.status.elastic_horovod_job import elastic_horovod_job_status
from bayplan.library.status.horovod_job import horovod_job_status
from bayplan.library.status.pod_facts import Tally
from bayplan.library.status.training_job import LAUNCHER, TrainingJob
from unit.library.status.observed import NOW, pods, told, with_status

JOB = {"kind": "HorovodJob", "metadata": {"name": "fit"}, "spec": {}}


def test_from_waiting_to_complete():
    document, seen = JOB, []
    for workers, launchers, name in (
        ({"refused": 2}, {}, ""),
        ({"ready": 2}, {"running": 1}, "fit-launcher-abcde"),
        ({}, {"succeeded": 1}, "fit-launcher-abcde"),
        ({}, {}, ""),
    ):
        there = Tally.sum([pods(**workers), pods(role=LAUNCHER, **launchers)])
        status = horovod_job_status(TrainingJob(document, 2, True, there), "a=b", name, NOW)
        document = with_status(document, status)
        seen.append(
            (status["availableReplicas"], status.get("launcher"), told(status, "Running"), told(status, "Complete"))
        )

    assert seen == [
        (0, None, ("False", "Waiting"), None),
        (2, "pod/fit-launcher-abcde", ("True", "Running"), None),
        (0, "pod/fit-launcher-abcde", None, ("True", "Succeeded")),
        (0, None, None, ("True", "Succeeded")),
    ]


def test_an_elastic_job_says_the_same():
    job = TrainingJob(JOB, 1, False, pods(ready=1))

    assert elastic_horovod_job_status(job, "a=b", "", NOW) == horovod_job_status(job, "a=b", "", NOW)
