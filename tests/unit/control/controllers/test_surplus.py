import pytest

from bayplan.cluster.identity import WorkloadKey
from bayplan.control.controllers.surplus import surplus
from bayplan.library.status.pod_facts import PodFacts, PodState

KEY = WorkloadKey("default", "chat")
STATES = {
    "w": PodFacts(PodState.WAITING),
    "s": PodFacts(PodState.STARTING),
    "u": PodFacts(PodState.RUNNING),
    "r": PodFacts(PodState.RUNNING, ready_at="t"),
}


def pods(*names):
    """`r1`: a ready Pod, created as the first."""
    return [
        ({"metadata": {"name": name, "namespace": "default", "creationTimestamp": f"t{name[1]}"}}, STATES[name[0]])
        for name in names
    ]


def ordered(*names):
    return lambda key, count: [("default", name, f"because {name}") for name in names][:count]


CHOICES = {
    "waiting ones go first, the youngest first": (("r1", "w1", "w2", "w3"), 2, ordered("r1"), ["w3", "w2"]),
    "then the planner is asked": (("r1", "r2", "w1"), 2, ordered("r1"), ["w1", "r1"]),
    "what the planner does not know goes by readiness and age": (
        ("r1", "r2", "u1", "s1"), 3, ordered(), ["s1", "u1", "r2"]),
    "the planner's order comes first": (("r1", "r2", "u1"), 2, ordered("r1"), ["r1", "u1"]),
    "strangers of the planner are passed over": (("r1", "r2"), 1, ordered("x", "r1"), ["r2"]),
    "nothing is too much": (("r1",), 0, ordered("r1"), []),
}  # fmt: skip


@pytest.mark.parametrize(("live", "count", "removals", "gone"), CHOICES.values(), ids=CHOICES)
def test_who_goes(live, count, removals, gone):
    found, _ = surplus(pods(*live), count, KEY, removals, whole=True)

    assert [pod["metadata"]["name"] for pod in found] == gone


def test_reasons_are_those_of_the_planner():
    _, reasons = surplus(pods("r1", "r2", "w1"), 3, KEY, ordered("r2"), whole=True)

    assert reasons == {"r2": "because r2"}


def test_of_a_part_of_a_workload_the_whole_order_is_asked_for():
    asked = []

    def removals(key, count):
        asked.append((key, count))
        return []

    surplus(pods("r1", "r2", "r3"), 1, KEY, removals, whole=True)
    surplus(pods("r1", "r2", "r3"), 1, KEY, removals, whole=False)

    assert asked[0] == (KEY, 1)
    assert asked[1][1] >= 3
