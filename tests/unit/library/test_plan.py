import pytest

import bayplan
from bayplan.library.plan import planned

CLUSTER = {
    "workers": [
        {"name": "a", "gpus": {"count": 4, "model": "L40S", "memory": "48Gi"}, "usdPerHour": 2.0},
        {"name": "b", "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}},
    ],
    "bookings": [{"workload": "old", "replica": 0, "worker": "a", "gpus": [{"index": 0}]}],
}


def job(name="job", count=1, **spec):
    return {"metadata": {"name": name}, "spec": {"gpus": {"count": count}, **spec}}


def test_one_workload_is_a_plan_and_several_are_a_list():
    assert bayplan.plan(job(), CLUSTER)["kind"] == "Plan"
    assert bayplan.plan([job()], CLUSTER)["kind"] == "Plan"
    assert [each["workload"] for each in bayplan.plan([job("x"), job("y")], CLUSTER)["items"]] == ["x", "y"]


def test_nothing_that_was_handed_in_changes():
    before = repr(CLUSTER)

    bayplan.plan(job(count=3), CLUSTER)

    assert repr(CLUSTER) == before


def test_the_same_call_gives_the_same_document():
    assert bayplan.plan(job(replicas=3), CLUSTER, seed=3) == bayplan.plan(job(replicas=3), CLUSTER, seed=3)


def test_a_cluster_that_was_read_before_is_taken_as_it_is():
    read = bayplan.read_cluster(CLUSTER)

    assert bayplan.plan(job(count=3), read) == bayplan.plan(job(count=3), CLUSTER)


def test_removals_make_room_for_the_next_workload():
    held = [{"workload": "x", "replica": n, "worker": "a", "gpus": [{"index": n}]} for n in range(4)]
    full = {**CLUSTER, "bookings": held}

    first, second = bayplan.plan([job("x"), job("y", 3)], full)["items"]

    assert len(first["removals"]) == 3
    assert (second["verdict"], second["replicas"][0]["workers"][0]["worker"]) == ("fits", "a")


def test_the_planner_holds_what_was_planned():
    made = planned([job("x"), job("y", 9)], CLUSTER)

    assert [plan["verdict"] for plan in made.documents] == ["fits", "infeasible"]
    assert [booking.workload for booking in made.planner.result().bookings] == ["old", "x"]


def test_what_is_odd_about_the_cluster_is_said_in_the_first_plan():
    odd = {**CLUSTER, "bookings": [{"workload": "old", "replica": 0, "worker": "elsewhere"}]}
    first, second = bayplan.plan([job("x"), job("y")], odd)["items"]

    (warning,) = first["warnings"]
    assert "no worker is called 'elsewhere'" in warning
    assert second["warnings"] == []


PROBLEMS = {
    "no workload": ([], CLUSTER, {}, "workload"),
    "no such strategy": ([job(strategy="sprad")], CLUSTER, {}, "workload job: strategy"),
    "text": (["x"], CLUSTER, {}, "workloads[0]"),
    "a cluster as workload": ([CLUSTER], CLUSTER, {}, "workloads[0]"),
    "a broken cluster": ([job()], {"workers": [{"name": ""}]}, {}, "cluster"),
    "a configuration of another scheduler": (
        [job()],
        CLUSTER,
        {
            "config": {
                "scheduler": "serving",
                "plugins": [{"type": "max-score"}],
                "schedulingProfiles": [{"name": "p", "plugins": [{"pluginRef": "max-score"}]}],
            }
        },
        "config: scheduler",
    ),
    "no configuration in a list of them": ([job()], CLUSTER, {"config": []}, "config"),
    "two configurations": ([job()], CLUSTER, {"config": [{}, {}]}, "config"),
    "an order that is no word": ([job()], CLUSTER, {"order": None}, "order"),
}


@pytest.mark.parametrize(("workloads", "cluster", "others", "place"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_one_kind_of_error_with_its_place(workloads, cluster, others, place):
    with pytest.raises(bayplan.BayplanError) as raised:
        bayplan.plan(workloads, cluster, **others)

    assert raised.value.place.startswith(place)
    assert raised.value.next


def test_the_order_of_a_queue():
    jobs = [job("late", 4), job("early", 4, priority=5)]

    given, queued = (bayplan.plan(jobs, CLUSTER, order=order)["items"] for order in ("given", "queue"))

    assert [each["workload"] for each in given] == ["late", "early"]
    assert [each["workload"] for each in queued] == ["early", "late"]
    with pytest.raises(bayplan.BayplanError, match="order: there is no order 'que'; did you mean 'queue'"):
        bayplan.plan(jobs, CLUSTER, order="que")


def test_victims_are_written_with_what_they_hold():
    plan = bayplan.plan(job(count=4, priority=7, preemption="lower-priority"), CLUSTER)

    card = {"runtime": "cuda", "index": 0, "uuid": None, "model": "L40S", "memory_mib": 49152}
    assert plan["verdict"] == "fits"
    assert plan["victims"] == [
        {
            "workload": "old",
            "namespace": "default",
            "replica": 0,
            "priority": 0,
            "worker": "a",
            "gang": None,
            "gpus": [{**card, "headroom_mib": 0, "compute_percent": None, "places": None, "mig": None}],
            "reason": "priority 0 < 7; frees 1 card on a",
        }
    ]


def test_a_victim_on_a_worker_that_is_not_there():
    """Its replica stands on two workers, of which one was taken out of the file."""
    lost = {"workload": "old", "replica": 0, "worker": "gone", "gpus": [{"index": 0}]}

    plan = bayplan.plan(
        job(count=4, priority=7, preemption="lower-priority"), {**CLUSTER, "bookings": [*CLUSTER["bookings"], lost]}
    )

    assert [(each["worker"], each["gpus"][0]["model"]) for each in plan["victims"]] == [("a", "L40S"), ("gone", None)]


LENT = {
    "workers": [
        {"name": "lent", "spot": True, "usdPerHour": 1, "gpus": {"count": 8, "model": "L40S", "memory": "48Gi"}},
        {"name": "steady", "usdPerHour": 9, "gpus": {"count": 3, "model": "L40S", "memory": "48Gi"}},
    ],
}
THERE = [{"workload": "job", "replica": n, "worker": "lent", "gpus": [{"index": n}]} for n in range(2)]
POOL = {
    "apiVersion": "neuronetes.io/v1alpha1",
    "kind": "AgentPool",
    "metadata": {"name": "job"},
    "spec": {
        "minReplicas": 4,
        "maxReplicas": 8,
        "gpuRequirements": {"count": 1},
        "scheduling": {"costOptimization": {"spotEnabled": True, "spotStrategy": {"maxSpotPercent": 60}}},
    },
}
SPOT_SHARES = {
    "rounded down": (job(replicas=4, cost={"maxSpotPercent": 49}), (), "fits", 1, 3),
    "what is there counts": (job(replicas=5, cost={"maxSpotPercent": 40}), THERE, "fits", 0, 3),
    "no room for the others": (job(replicas=6, cost={"maxSpotPercent": 34}), (), "partly", 2, 3),
    "a gang": (job(replicas=6, gang={}, cost={"maxSpotPercent": 50}), (), "fits", 3, 3),
    "a gang that is too large": (job(replicas=6, gang={}, cost={"maxSpotPercent": 49}), (), "infeasible", 0, 0),
    "a price beside it": (job(replicas=2, cost={"maxSpotPercent": 50, "maxUsdPerHour": 9}), (), "fits", 0, 2),
    "a price that is too low": (job(replicas=2, cost={"maxSpotPercent": 50, "maxUsdPerHour": 8}), (), "partly", 1, 0),
    "a pool": (POOL, (), "fits", 2, 2),
}


@pytest.mark.parametrize(("spec", "held", "verdict", "lent", "steady"), SPOT_SHARES.values(), ids=SPOT_SHARES)
def test_a_share_of_spot_workers(spec, held, verdict, lent, steady):
    found = bayplan.plan(spec, {**LENT, "bookings": list(held)})
    workers = [each["workers"][0]["worker"] for each in found["replicas"]]

    assert (found["verdict"], workers.count("lent"), workers.count("steady")) == (verdict, lent, steady)
    if verdict != "fits":
        assert "spot" in [each["code"] for each in found["rejections"]]


def test_the_domain_with_the_least_room_is_taken_however_few_members_are_placed():
    """Shares of two cards: a card choice for one copy would leave less room than zone z1 has for many."""

    def sized(name, zone, *sizes):
        return {"name": name, "zone": zone, "gpus": [{"index": at, "memory": mib} for at, mib in enumerate(sizes)]}

    cluster = {"workers": [sized("six", "z1", 18, 15, 6), sized("five", "z2", 15, 15)]}
    spec = {"replicas": 1, "gang": {"within": "zone"}, "gpus": {"count": 2, "memory": 3}}
    plan = bayplan.plan({"metadata": {"name": "x"}, "spec": spec}, cluster)

    assert plan["replicas"][0]["workers"][0]["worker"] == "five"
