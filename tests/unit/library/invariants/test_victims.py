import pytest

from unit.library.invariants.cluster_objects import pod, verdict


def victim(priority, by="default/w"):
    return pod("v", priority=priority, annotations={"bayplan.io/preempted-by": by})


def member(priority, **labels):
    return pod(f"p{priority}", on="", priority=priority, labels=labels)


OF_W = {"bayplan.io/workload": "w"}
CASES = {
    "lower": (victim(4), [member(5, **OF_W)], ()),
    "no priority is 0": (victim(None), [member(1, **OF_W)], ()),
    "equal": (
        victim(5),
        [member(5, **OF_W)],
        ("Pod default/v: has priority 5 and makes room for default/w of priority 5",),
    ),
    "higher": (
        victim(6),
        [member(5, **OF_W)],
        ("Pod default/v: has priority 6 and makes room for default/w of priority 5",),
    ),
    "the lowest member counts": (
        victim(5),
        [member(9, **OF_W), member(2, **OF_W)],
        ("Pod default/v: has priority 5 and makes room for default/w of priority 2",),
    ),
    "a Pod that is a workload of its own": (
        victim(1, by="default/p0"),
        [member(0)],
        ("Pod default/v: has priority 1 and makes room for default/p0 of priority 0",),
    ),
    "by the record of its decision": (
        victim(3, by="7-41"),
        [pod("other", priority=2, annotations={"bayplan.io/record": "7-41"})],
        ("Pod default/v: has priority 3 and makes room for 7-41 of priority 2",),
    ),
    "of a group": (
        victim(3),
        [member(3, **{"scheduling.x-k8s.io/pod-group": "w"})],
        ("Pod default/v: has priority 3 and makes room for default/w of priority 3",),
    ),
}


@pytest.mark.parametrize(("removed", "others", "violations"), CASES.values(), ids=CASES)
def test_victims(removed, others, violations):
    found = verdict("I7", removed, *others)

    assert (found.ok, found.violations) == (not violations, violations)


def test_what_cannot_be_compared_is_no_yes():
    assert verdict("I7", pod("a")).ok is None
    assert verdict("I7", victim(3, by="default/gone")).ok is None
