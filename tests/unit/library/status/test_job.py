import pytest

from bayplan.library.status.job import deadline_s, expiry_s, job_status, job_verdict
from unit.library.status.observed import LATER, LATER_TEXT, NOW, NOW_TEXT, pods, told, with_status


def job(status=None, **spec):
    return {
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"parallelism": 1, "completions": 1, **spec},
        "status": status or {},
    }


STARTED = {"startTime": NOW_TEXT}
VERDICTS = {
    "nothing happened": (job(), {}, ""),
    "one runs": (job(), {"running": 1}, ""),
    "one succeeded": (job(), {"succeeded": 1}, "Complete"),
    "one of two succeeded": (job(completions=2), {"succeeded": 1}, ""),
    "none is wanted": (job(completions=0), {}, "Complete"),
    "a queue with one that runs": (job(completions=None), {"succeeded": 1, "running": 1}, ""),
    "a queue that is worked off": (job(completions=None), {"succeeded": 1}, "Complete"),
    "a queue that nobody worked on": (job(completions=None), {}, ""),
    "as many failures as allowed": (job(backoffLimit=2), {"failed": 2}, ""),
    "one more": (job(backoffLimit=2), {"failed": 3}, "Failed"),
    "the usual limit": (job(), {"failed": 7}, "Failed"),
    "within its deadline": (job(STARTED, activeDeadlineSeconds=61), {"running": 1}, ""),
    "past its deadline": (job(STARTED, activeDeadlineSeconds=60), {"running": 1}, "Failed"),
    "a deadline of a suspended one": (job(STARTED, activeDeadlineSeconds=60, suspend=True), {}, ""),
    "an end stays": (job({"conditions": [{"type": "Failed", "status": "True"}]}), {"succeeded": 1}, "Failed"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "there", "end"), VERDICTS.values(), ids=VERDICTS)
def test_verdicts(document, there, end):
    assert job_verdict(document, pods(**there), LATER).end == end


def test_from_the_beginning_to_the_end():
    document = job()
    running = job_status(document, pods(running=1), NOW)
    done = job_status(with_status(document, running), pods(succeeded=1, failed=1), LATER)
    cleared = job_status(with_status(document, done), pods(), LATER + 60)

    assert running == {"startTime": NOW_TEXT, "active": 1, "ready": 0}
    assert (done["startTime"], done["completionTime"]) == (NOW_TEXT, LATER_TEXT)
    assert (done["succeeded"], done["failed"], "active" in done) == (1, 1, False)
    assert told(done, "Complete") == told(done, "SuccessCriteriaMet") == ("True", "CompletionsReached")
    assert cleared == done


def test_suspended_and_resumed():
    suspended = job_status(job(suspend=True), pods(), NOW)
    resumed = job_status(with_status(job(), suspended), pods(running=1), LATER)
    again = job_status(with_status(job(suspend=True), resumed), pods(), LATER)

    assert told(suspended, "Suspended") == ("True", "JobSuspended")
    assert "startTime" not in suspended
    assert told(resumed, "Suspended") == ("False", "JobResumed")
    assert resumed["startTime"] == LATER_TEXT
    assert "startTime" not in again


def test_when_to_look_again():
    ended = job({"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": NOW_TEXT}]})

    assert deadline_s(job(STARTED, activeDeadlineSeconds=100), LATER) == 40
    assert deadline_s(job(STARTED), LATER) is None
    assert expiry_s({**ended, "spec": {"ttlSecondsAfterFinished": 100}}, LATER) == 40
    assert expiry_s(ended, LATER) is None
    assert expiry_s(job(ttlSecondsAfterFinished=1), LATER) is None
