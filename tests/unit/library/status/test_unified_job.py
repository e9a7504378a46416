from bayplan.library.status.training_job import TrainingJob
from bayplan.library.status.unified_job import unified_job_status
from unit.library.status.observed import NOW, pods, told, with_status

JOB = {"kind": "UnifiedJob", "metadata": {"name": "fit"}, "spec": {}, "status": {"itersCompleted": 7}}


def test_the_words_of_the_dialect():
    document, seen = JOB, []
    for there in ({"waiting": 2}, {"starting": 2}, {"running": 2}, {"failed": 7}, {"running": 2}):
        status = unified_job_status(TrainingJob(document, 2, False, pods(**there)), NOW)
        document = with_status(document, status)
        seen.append((status["jobStatus"], told(status, "Failed")))

    assert seen == [
        ("Waiting", None),
        ("Pending", None),
        ("Running", None),
        ("Failed", ("True", "BackoffLimitExceeded")),
        ("Failed", ("True", "BackoffLimitExceeded")),
    ]
    assert status["itersCompleted"] == 7
