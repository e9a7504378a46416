from bayplan.library.status.deployment import Rollout, deadline_s, deployment_status
from bayplan.library.status.pod_facts import Tally
from unit.library.status.observed import NOW, pods, since, told, with_status

SPEC = {"replicas": 2, "progressDeadlineSeconds": 60}
DEPLOYMENT = {"kind": "Deployment", "metadata": {"name": "web", "generation": 3}, "spec": SPEC}


def rollout(new, old=None, unavailable=0):
    return Rollout("web-1", pods(**new), Tally.sum([pods(**new), pods(**(old or {}))]), unavailable)


def walk(*steps):
    """Conditions after each step: what is there, and the seconds since the beginning."""
    document, seen = DEPLOYMENT, []
    for there, at in steps:
        status = deployment_status(document, there, NOW + at)
        document = with_status(document, status)
        seen.append((told(status, "Progressing"), told(status, "Available")[0]))
    return document, seen


def test_a_rollout_that_succeeds():
    _, seen = walk(
        (rollout({}), 0),
        (rollout({"waiting": 2}), 1),
        (rollout({"ready": 1, "running": 1}), 2),
        (rollout({"ready": 2}), 3),
    )

    assert seen == [
        (("True", "ReplicaSetUpdated"), "False"),
        (("True", "ReplicaSetUpdated"), "False"),
        (("True", "ReplicaSetUpdated"), "False"),
        (("True", "NewReplicaSetAvailable"), "True"),
    ]


def test_one_that_does_not_move_is_late_until_it_moves():
    stuck = rollout({"waiting": 2})

    document, seen = walk((stuck, 0), (stuck, 59), (stuck, 61), (stuck, 62), (rollout({"ready": 1, "waiting": 1}), 63))

    assert [each[0] for each in seen] == [
        ("True", "ReplicaSetUpdated"),
        ("True", "ReplicaSetUpdated"),
        ("False", "ProgressDeadlineExceeded"),
        ("False", "ProgressDeadlineExceeded"),
        ("True", "ReplicaSetUpdated"),
    ]
    assert since(document["status"], "Progressing") == "2027-01-15T08:01:03Z"


def test_pods_that_fail_after_the_rollout_are_no_rollout():
    _, seen = walk((rollout({"ready": 2}), 0), (rollout({"ready": 1, "waiting": 1}), 100))

    assert seen[1] == (("True", "NewReplicaSetAvailable"), "False")


def test_old_pods_count_as_available():
    status = deployment_status(DEPLOYMENT, rollout({"waiting": 1}, {"ready": 1, "leaving": 1}, unavailable=1), NOW)

    assert {key: value for key, value in status.items() if key != "conditions"} == {
        "observedGeneration": 3,
        "replicas": 2,
        "updatedReplicas": 1,
        "readyReplicas": 1,
        "availableReplicas": 1,
        "unavailableReplicas": 1,
        "terminatingReplicas": 1,
    }
    assert told(status, "Available") == ("True", "MinimumReplicasAvailable")


def test_paused_and_not_begun():
    paused = {**DEPLOYMENT, "spec": {**SPEC, "paused": True}}

    assert told(deployment_status(paused, rollout({}), NOW), "Progressing") == ("Unknown", "DeploymentPaused")
    begun = deployment_status(DEPLOYMENT, Rollout("", Tally(), Tally()), NOW)
    assert told(begun, "Progressing") == ("True", "ReplicaSetUpdated")


def test_when_to_look_again():
    document, _ = walk((rollout({"waiting": 2}), 0))
    done, _ = walk((rollout({"ready": 2}), 0))

    assert 59 < deadline_s(document, NOW + 1) < 60
    assert deadline_s(document, NOW + 100) < 1
    assert deadline_s(done, NOW) is None
    assert deadline_s(DEPLOYMENT, NOW) is None
