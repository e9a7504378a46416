"""Jobs, CronJobs and JobSets."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.manifests.workloads.jobs import collect_cron_job, collect_job, collect_job_set
from bayplan.manifests.workloads.priority_class import NO_CLASSES
from unit.manifests.opened import opened, places
from unit.manifests.workloads.templates import collected, document, members, template

RUNNING = {
    "nothing said": ({}, 1),
    "as many as run at a time": ({"parallelism": 4, "completions": 20}, 4),
    "no more than are to be completed": ({"parallelism": 4, "completions": 3}, 3),
    "completions alone": ({"completions": 5}, 1),
    "none at a time": ({"parallelism": 0}, 0),
    "suspended": ({"parallelism": 4, "suspend": True}, 0),
    "not suspended": ({"parallelism": 4, "suspend": False}, 4),
}


@pytest.mark.parametrize(("spec", "pods"), RUNNING.values(), ids=RUNNING)
def test_pods_of_a_job(spec, pods):
    (found,), fields = collected(collect_job, {"template": template(), "backoffLimit": 2, **spec})

    assert (found.workload.replicas, found.workload.gang) == (pods, None)
    assert not fields.findings.errors


@pytest.mark.parametrize(("spec", "pods"), RUNNING.values(), ids=RUNNING)
def test_one_run_of_a_cron_job(spec, pods):
    job = {"metadata": {"labels": {}}, "spec": {"template": template(), **spec}}
    (found,), fields = collected(collect_cron_job, {"schedule": "* * * * *", "jobTemplate": job})

    assert found.workload.replicas == pods
    assert not fields.findings.errors


def test_a_cron_job_that_is_suspended():
    (found,), fields = collected(collect_cron_job, {"suspend": True, "jobTemplate": {"spec": {"template": template()}}})

    assert found.workload.replicas == 0
    assert "suspended" in fields.findings.warnings[0]


DONE = {
    "some are to be completed": ({"parallelism": 4, "completions": 20}, 18, 2),
    "more than run at a time": ({"parallelism": 4, "completions": 20}, 3, 4),
    "all have succeeded": ({"parallelism": 4, "completions": 4}, 4, 0),
    "more than were wanted": ({"completions": 1}, 7, 0),
    "no number of completions": ({"parallelism": 3}, 2, 3),
}


@pytest.mark.parametrize(("spec", "succeeded", "pods"), DONE.values(), ids=DONE)
def test_what_has_succeeded_needs_no_place(spec, succeeded, pods):
    fields = opened(document("Job", {"template": template(), **spec}) | {"status": {"succeeded": succeeded}})
    (found,) = collect_job(fields, NO_CLASSES)

    assert found.workload.replicas == pods


def job(name, cards, **spec):
    return {"name": name, "template": {"spec": {"template": template(cards), **spec}}}


def test_a_job_set_is_a_gang():
    workers = job("workers", 1, parallelism=4, completions=4) | {"replicas": 2}
    (found,), fields = collected(collect_job_set, {"replicatedJobs": [job("driver", 0), workers]})

    assert members(found) == [("driver", 1, 0), ("workers", 8, 1)]
    assert found.workload.gang == Gang()
    assert (found.workload.desired, found.workload.minimum) == (9, 9)
    assert not fields.findings.warnings


EXCLUSIVE = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}


@pytest.mark.parametrize("of_the_set", [True, False])
def test_exclusive_domains_are_not_understood(of_the_set):
    one = job("a", 1)
    one["template"]["metadata"] = {} if of_the_set else {"annotations": EXCLUSIVE}
    metadata = {"annotations": EXCLUSIVE} if of_the_set else {}
    (found,), _ = collected(collect_job_set, {"replicatedJobs": [job("b", 1), one]}, **metadata)

    assert all("exclusive-topology is not followed" in role.shape.unknown for role in found.workload.roles)


def test_a_job_set_that_is_suspended():
    (found,), _ = collected(collect_job_set, {"suspend": True, "replicatedJobs": [job("a", 1)]})

    assert found.workload.desired == 0


WRONG = {
    "no jobs": (collect_job_set, {}, ["spec.replicatedJobs"]),
    "a job without a template": (
        collect_job_set,
        {"replicatedJobs": [{"name": "a"}]},
        ["spec.replicatedJobs[0].template", "spec.replicatedJobs[0].template.spec.template"],
    ),
    "no run": (collect_cron_job, {}, ["spec.jobTemplate"]),
    "suspend": (collect_job, {"template": template(), "suspend": "perhaps"}, ["spec.suspend"]),
    "parallelism": (collect_job, {"template": template(), "parallelism": 1.5}, ["spec.parallelism"]),
    "too many": (
        collect_job_set,
        {"replicatedJobs": [job("a", 1, parallelism=10**6) | {"replicas": 10**6}]},
        ["spec.replicatedJobs[0].replicas"],
    ),
}


@pytest.mark.parametrize(("collect", "spec", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(collect, spec, where):
    _, fields = collected(collect, spec)

    assert places(fields) == where
