from bayplan.library.invariants import check_invariants

CLUSTER = {
    "kind": "Cluster",
    "workers": [{"name": "w", "gpus": {"count": 1, "memory": "80Gi"}}],
    "bookings": [{"workload": "a", "replica": 0, "worker": "w", "gpus": [{"index": 0}], "gang": "g"}],
}
GROUP = {"metadata": {"name": "g", "namespace": "default"}, "spec": {"minMember": 2}}


def failing(document):
    return {each["id"]: each["violations"] for each in document["invariants"] if not each["ok"]}


def test_a_sound_cluster():
    assert failing(check_invariants(CLUSTER)) == {}


def test_a_card_that_is_held_twice():
    twice = CLUSTER | {"bookings": [*CLUSTER["bookings"], {**CLUSTER["bookings"][0], "workload": "b", "gang": None}]}

    assert list(failing(check_invariants(twice))) == ["I1"]


def test_a_gang_that_is_bound_in_part():
    assert list(failing(check_invariants(CLUSTER, [GROUP]))) == ["I3"]
