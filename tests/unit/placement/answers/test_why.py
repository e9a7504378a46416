"""Why: every worker with every check, and agreement with the plan."""

import pytest

import bayplan
from bayplan.cluster.gang import Gang
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.answers.why import Gang as Placeable, explain
from bayplan.placement.asks.tier import Tier
from bayplan.placement.planning.plan import Verdict
from fleets import booking, share, whole
from unit.placement.builders import LLAMA, gpu, need, planner, role, sized, worker

pytestmark = pytest.mark.usefixtures("no_headroom")


def server(name, *sizes, **others):
    return worker(name, cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)], **others)


def answers(asked, *workers, bookings=()):
    found = explain(planner(*workers, bookings=bookings), asked).workers
    return {each.worker: each for each in found}


def codes(answer):
    return [each.code for each in answer.rejections.values()]


SHARE = role(gpus={"memory_mib": 50}, ram_mib=10)


def test_every_failing_check_is_told():
    down = server("a", 40, ram_mib=5, status=WorkerStatus.NOT_READY)
    found = answers(sized(SHARE), down, server("b", 80, ram_mib=20))

    assert codes(found["a"]) == ["not-ready", "gpu-memory-short", "ram-short"]
    assert (found["a"].feasible, found["b"].feasible, codes(found["b"])) == (False, True, [])


def test_the_score_of_whoever_could():
    found = answers(sized(SHARE), server("a", 80, ram_mib=20), server("b", 60, ram_mib=20))
    terms = {name: [(term.scorer, term.score) for term in answer.terms] for name, answer in found.items()}

    assert terms == {
        "a": [("binpack", pytest.approx((0.5 + 2 * 50 / 80) / 3))],
        "b": [("binpack", pytest.approx((0.5 + 2 * 50 / 60) / 3))],
    }
    assert found["a"].total == pytest.approx((0.5 + 2 * 50 / 80) / 3)


MODEL = role(need(150, **LLAMA), "vllm")


def test_one_tier_is_enough_to_be_feasible():
    """Two cards of 100 MiB: not in the tier of one card, but in the next."""
    found = answers(sized(MODEL), server("a", 100, 100), server("b", 200), server("c", 100))

    assert {name: answer.tier for name, answer in found.items()} == {"a": Tier.ONE_WORKER, "b": Tier.ONE_GPU, "c": None}
    assert codes(found["a"]) == ["gpu-memory-short"]
    assert codes(found["c"]) == ["gpu-memory-short", "gpu-count-short"]


def test_over_workers_one_card_is_enough():
    what = role(need(150, **LLAMA), "vllm", "-tp=1", distributed=True)
    found = answers(sized(what), server("a", 100), server("b", 100), worker("c"))

    assert {name: answer.tier for name, answer in found.items()} == {
        "a": Tier.MANY_WORKERS,
        "b": Tier.MANY_WORKERS,
        "c": None,
    }


def test_overselling_counts_only_where_nothing_else_does():
    what = role(gpus={"memory_mib": 50}, allow_overcommit=True)
    full = booking("o", share(0, 80), on="a")
    both, alone = (server("a", 80), server("b", 80)), (server("a", 80),)

    assert [each.feasible for each in answers(sized(what), *both, bookings=[full]).values()].count(True) == 1
    assert answers(sized(what), *alone, bookings=[full])["a"].feasible


def test_for_at_least_one_role():
    asked = sized(("x", 1, role(gpus={"count": 2})), ("y", 1, role(gpus={"count": 1})))
    found = answers(asked, server("a", 80), worker("b"))

    assert (found["a"].feasible, codes(found["a"])) == (True, ["gpu-count-short"])
    assert (found["b"].feasible, codes(found["b"])) == (False, ["gpu-count-short"])


def test_the_next_replica_is_asked_about():
    """One stands there already, and nobody else finds room beside it."""
    what = role(gpus={"memory_mib": 50})
    found = explain(planner(server("a", 80), bookings=[booking("mine", share(0, 50))]), sized(what, replicas=2))

    assert found.verdict is Verdict.WAITING
    assert codes(found.workers[0]) == ["gpu-memory-short"]


def test_a_workload_that_is_complete_is_told_about_one_more():
    found = explain(planner(server("a", 80), bookings=[booking("mine", whole(0))]), sized(role(gpus={"count": 1})))

    assert found.verdict is Verdict.FITS
    assert codes(found.workers[0]) == ["gpu-count-short"]


GANGS = {
    "all": (sized(SHARE, replicas=2), Placeable(2, 1, 2)),
    "some": (sized(SHARE, replicas=3), Placeable(3, 1, 2, ("mine/2",))),
    "a gang that fails": (sized(SHARE, replicas=3, gang=Gang()), Placeable(3, 3, 2, ("mine/2",))),
    "roles": (
        sized(("x", 1, role(gpus={"count": 5})), ("y", 2, role(gpus={"memory_mib": 1}))),
        Placeable(3, 1, 2, ("x/0",)),
    ),
}


@pytest.mark.parametrize(("asked", "gang"), GANGS.values(), ids=GANGS)
def test_gangs(asked, gang):
    assert explain(planner(server("a", 80, 80, ram_mib=100)), asked).gang == gang


def test_an_empty_cluster():
    found = explain(planner(), sized(SHARE))

    assert (found.verdict, found.workers) == (Verdict.INFEASIBLE, ())


def test_nothing_is_changed():
    plans = planner(server("a", 80, ram_mib=100))
    before = plans.plan(sized(SHARE)).bookings
    explain(plans, sized(SHARE))

    assert plans.plan(sized(SHARE)).bookings == before
    assert plans.state.bookings == ()


def test_a_worker_is_judged_by_the_devices_that_it_offers():
    whole = {"name": "whole", "gpus": {"count": 2, "model": "H200", "memory": "141Gi"}, "resources": {"rdma/ib": 0}}
    cut = {"name": "cut", "migSlices": {"1g.5gb": 7}, "migStrategy": "single", "resources": {"rdma/ib": 1}}
    asked = {"nvidia.com/gpu": 2, "rdma/ib": 4}
    pod = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"resources": {"limits": asked}}]}}

    answers = bayplan.why([pod], {"workers": [whole, cut]})["workers"]

    assert {each["worker"]: [one["code"] for one in each["rejections"]] for each in answers} == {
        "whole": ["resource-short"], "cut": ["resource-short"],
    }  # fmt: skip
