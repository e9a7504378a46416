from __future__ import annotations

import pytest

from bayplan.placement.answers.changes.case import with_replicas, with_shape
from unit.placement.answers.changes.planned import sized

ALIKE = {"gpus": {"count": 1}, "replicas": 2}
ROLES = {"roles": [{"name": "a", "gpus": {"count": 1}}, {"name": "b", "replicas": 3, "gpus": {"count": 2}}]}
OTHER = sized({"cpu": 4}).roles[0]


@pytest.mark.parametrize(("spec", "number"), [(ALIKE, 0), (ROLES, 0), (ROLES, 1)])
def test_workload_and_roles_say_the_same_shape(spec, number):
    changed = with_shape(sized(spec), number, OTHER)

    shapes = [shape for _, _, shape in changed.workload.shapes]
    assert shapes[number] == OTHER.shape
    assert shapes == [role.shape for role in changed.roles]


@pytest.mark.parametrize(("spec", "number"), [(ALIKE, 0), (ROLES, 0), (ROLES, 1)])
def test_workload_and_roles_say_the_same_number(spec, number):
    changed = with_replicas(sized(spec), number, 7)

    counts = [count for _, count, _ in changed.workload.shapes]
    assert counts[number] == 7
    assert counts == [role.replicas for role in changed.roles]
    assert sum(counts) == changed.workload.desired
