import pytest

import bayplan

CLUSTER = {
    "workers": [
        {"name": "a", "gpus": {"count": 4, "model": "L40S", "memory": "48Gi"}},
        {"name": "b", "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}},
    ],
    "bookings": [{"workload": "old", "replica": 0, "worker": "a", "gpus": [{"index": 0}]}],
}


def job(name="job", count=1, **spec):
    return {"metadata": {"name": name}, "spec": {"gpus": {"count": count}, **spec}}


@pytest.mark.parametrize("count", [1, 3, 4, 5])
def test_why_and_plan_agree(count):
    assert bayplan.why(job(count=count), CLUSTER)["verdict"] == bayplan.plan(job(count=count), CLUSTER)["verdict"]


def test_a_worker_is_feasible_or_says_why_not():
    answers = {each["worker"]: each for each in bayplan.why(job(count=3), CLUSTER)["workers"]}

    assert answers["a"]["feasible"]
    assert answers["a"]["score"]["terms"]
    (rejection,) = answers["b"]["rejections"]
    assert (rejection["code"], rejection["needed"], rejection["free"], rejection["short"]) == (
        "gpu-count-short",
        3,
        1,
        2,
    )
    assert answers["b"]["score"] is None


def test_terms_say_on_which_level_they_count():
    (answer,) = bayplan.why(job(count=3), CLUSTER, worker="a")["workers"]

    last = max(term["level"] for term in answer["score"]["terms"])
    counted = [term["contribution"] for term in answer["score"]["terms"] if term["level"] == last]
    assert sum(counted) == pytest.approx(answer["score"]["total"])


def test_the_last_workload_is_asked_about():
    document = bayplan.why([job("x", 3), job("y", 3)], CLUSTER)

    assert (document["workload"], document["verdict"]) == ("y", "waiting")


def test_a_name_in_two_namespaces_needs_its_namespace():
    here, there = job("x", 3), job("x", 3)
    there["metadata"]["namespace"] = "other"

    assert bayplan.why([here, there], CLUSTER, workload="default/x")["namespace"] == "default"
    with pytest.raises(
        bayplan.BayplanError, match="2 workloads are called 'x'; write the namespace too: default/x or other/x"
    ):
        bayplan.why([here, there], CLUSTER, workload="x")


def test_an_unknown_worker_is_an_error():
    with pytest.raises(bayplan.BayplanError, match="worker: there is no worker 'c'"):
        bayplan.why(job(), CLUSTER, worker="c")


def test_what_only_planning_finds_wrong_names_the_workload():
    with pytest.raises(bayplan.BayplanError) as raised:
        bayplan.why([job("x", strategy="sprad"), job("y")], CLUSTER)

    assert raised.value.place == "workload x: strategy"
