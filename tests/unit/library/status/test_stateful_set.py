from bayplan.library.status.pod_facts import Tally
from bayplan.library.status.stateful_set import stateful_set_status
from unit.library.status.observed import NOW, pods, with_status

SET = {"kind": "StatefulSet", "metadata": {"name": "web", "generation": 5}, "spec": {"replicas": 2}}


def test_an_update_from_one_revision_to_the_next():
    first = stateful_set_status(SET, pods(revision="r1", ready=2), "r1", NOW)
    both = Tally.sum([pods(revision="r1", ready=1), pods(revision="r2", running=1)])
    during = stateful_set_status(with_status(SET, first), both, "r2", NOW)
    after = stateful_set_status(with_status(SET, during), pods(revision="r2", ready=2), "r2", NOW)

    def told(status):
        return [status[key] for key in ("currentRevision", "updateRevision", "currentReplicas", "updatedReplicas")]

    assert told(first) == ["r1", "r1", 2, 2]
    assert told(during) == ["r1", "r2", 1, 1]
    assert told(after) == ["r2", "r2", 2, 2]
    assert [after[key] for key in ("replicas", "readyReplicas", "availableReplicas", "observedGeneration")] == [
        2,
        2,
        2,
        5,
    ]


def test_a_set_that_is_not_ready_stays_at_its_revision():
    status = stateful_set_status(SET, pods(revision="r1", ready=1, running=1), "r1", NOW)

    assert (status["currentRevision"], status["readyReplicas"]) == ("r1", 1)
