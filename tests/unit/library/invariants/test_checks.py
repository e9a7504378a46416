from bayplan.library.invariants.checks import INVARIANTS, check_invariants
from unit.library.invariants.cluster_objects import device, node, pod

SOUND = [node(), pod("a", cards=1), pod("b", cards=1)]
TWICE = [
    {"kind": "Cluster", "metadata": {"name": name}, "workers": [{"name": "m", "gpus": {"count": 1}}]} for name in "cd"
]
JUDGED = {"I1", "I2", "I13"}
"""What can be said of any cluster; the others need gangs, leaders, victims or more than one moment."""


def by_id(document):
    return {each["id"]: each for each in document["invariants"]}


def test_every_invariant_is_listed_once_in_order():
    assert [each.id for each in INVARIANTS] == [f"I{number}" for number in range(1, 14)]


def test_a_sound_cluster():
    document = check_invariants(SOUND)

    assert {number for number, each in by_id(document).items() if each["ok"]} == JUDGED
    assert document["cluster"] == {"ok": True, "problems": []}
    assert all(each["violations"] == [] for each in document["invariants"])


def test_what_cannot_be_judged_says_why_and_never_yes():
    for each in check_invariants([])["invariants"]:
        assert (each["ok"] is None) == (each["id"] not in JUDGED)
        assert bool(each["reason"]) == (each["ok"] is None)


def test_a_violation_is_told_with_its_place():
    document = check_invariants([*SOUND, pod("c", devices=[device(0)])])

    assert by_id(document)["I1"]["ok"] is False
    assert "worker n" in by_id(document)["I1"]["violations"][0]


def test_a_cluster_that_cannot_be_read():
    document = check_invariants([*SOUND, *TWICE])

    assert document["cluster"]["ok"] is False
    assert "two workers are called 'm'" in document["cluster"]["problems"][0]
    assert {each["reason"] for number, each in by_id(document).items() if number in JUDGED} == {
        "the cluster cannot be read"
    }
    assert not any(each["ok"] for each in document["invariants"])


def test_pods_without_a_node_and_objects_of_other_kinds_do_not_matter():
    others = [pod("waits", on="", cards=99), {"kind": "Secret", "metadata": {"name": "s"}}]

    assert check_invariants([*SOUND, *others]) == check_invariants(SOUND)
