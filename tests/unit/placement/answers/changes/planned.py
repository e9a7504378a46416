"""Planners and sized workloads for tests of the search itself."""

from __future__ import annotations

from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.placement.answers.changes.case import Case
from bayplan.placement.answers.changes.ladder import Ladder
from bayplan.placement.answers.changes.look import ExaminedRole


def planner(on):
    return planner_of(on)[0]


def sized(spec, name="mine"):
    (only,) = read_sized_workloads(documents_of({"metadata": {"name": name}, "spec": spec}, "workloads"))
    return only


def case(spec):
    return Case(sized(spec))


def part(asked, resize):
    (role,) = asked.roles
    return ExaminedRole(0, role.name, role.replicas, role, resize)


def ladder(apply, steps, **others):
    told = {"told": lambda step, _: f"to {step}", "before": "now", "change": "some", "field": "x"}
    return Ladder(apply=apply, steps=steps, **{**told, **others})
