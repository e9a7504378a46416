from __future__ import annotations

from bayplan.library.model_sizer import ModelSizer
from bayplan.placement.answers.changes.edits import with_model
from bayplan.placement.answers.changes.look import Look
from bayplan.placement.answers.changes.oracle import Oracle
from bayplan.placement.planning.plan import Verdict
from unit.placement.answers.changes.asking import LLAMA_70B, cluster, held, worker
from unit.placement.answers.changes.planned import planner, sized

ROLES = {"roles": [{"name": "a", "cpu": 1}, {"name": "b", "model": {"weights": "9Gi", "kvCache": 0}}]}


def look(spec, on):
    ground = planner(on)
    return Look(ground, sized(spec), Verdict.WAITING, ModelSizer(), Oracle(ground))


def test_parts_of_a_workload_of_roles_say_which():
    first, second = look(ROLES, cluster(worker())).parts

    assert (first.field("cpu"), second.field("model.weights")) == ("roles[0].cpu", "roles[1].model.weights")
    assert second.sentence("smaller") == "role b: smaller"


def test_a_workload_without_roles_is_one_part():
    (only,) = look({"cpu": 1}, cluster(worker())).parts

    assert (only.field("cpu"), only.sentence("less")) == ("cpu", "less")


def test_an_edit_sizes_the_model_anew():
    spec = {"model": {"weights": "9Gi", "context": 4096, "architecture": LLAMA_70B}}
    seen = look(spec, cluster(worker()))
    (only,) = seen.parts

    changed = only.edited(seen.case, lambda shape: with_model(shape, context=2048))

    (role,) = changed.sized.roles
    assert role.need.kv_bytes * 2 == only.sized.need.kv_bytes
    assert changed.sized.workload.shape.model.context == 2048


def test_replicas_that_are_there():
    on = cluster(worker(), bookings=[held("mine", 0), held("mine", 1, replica=3), held("other", 1)])

    assert look({"gpus": {"count": 1}}, on).booked == 2
