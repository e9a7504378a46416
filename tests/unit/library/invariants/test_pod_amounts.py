"""The second count against the reader of inventories, on Pods of every form."""

import pytest

from bayplan.library.invariants.pod_amounts import asked_by
from unit.library.invariants.cluster_objects import node, pod, verdict


def container(cpu, memory, cards=None, **said):
    limits = {"cpu": cpu, "memory": memory} | ({"nvidia.com/gpu": cards} if cards else {})
    return {"name": "c", "resources": {"limits": limits}, **said}


SIDECAR = {"restartPolicy": "Always"}
CASES = {
    "one container": ({"containers": [container("1", "1Gi")]}, (1000, 1024, 0)),
    "a sum": ({"containers": [container("1", "1Gi", 1), container("500m", "1Gi", 1)]}, (1500, 2048, 2)),
    "requests come before limits": (
        {"containers": [{"name": "c", "resources": {"limits": {"cpu": "4"}, "requests": {"cpu": "1", "memory": 1}}}]},
        (1000, 1, 0),
    ),
    "a large first step": (
        {"containers": [container("1", "1Gi")], "initContainers": [container("3", "10Mi", 2)]},
        (3000, 1024, 2),
    ),
    "a sidecar runs beside": (
        {"containers": [container("1", "1Gi")], "initContainers": [container("3", "1Gi", **SIDECAR)]},
        (4000, 2048, 0),
    ),
    "a step after a sidecar": (
        {
            "containers": [container("1", "1Gi")],
            "initContainers": [container("1", "1Gi", **SIDECAR), container("3", "3Gi")],
        },
        (4000, 4096, 0),
    ),
    "a step before a sidecar": (
        {
            "containers": [container("1", "1Gi")],
            "initContainers": [container("3", "3Gi"), container("1", "1Gi", **SIDECAR)],
        },
        (3000, 3072, 0),
    ),
    "amounts of the whole Pod": (
        {"containers": [container("1", "1Gi", 1)], "resources": {"requests": {"cpu": "5", "memory": "2Gi"}}},
        (5000, 2048, 1),
    ),
    "overhead": (
        {"containers": [container("1", "1Gi")], "overhead": {"cpu": "250m", "memory": "120Mi"}},
        (1250, 1144, 0),
    ),
    "nothing": ({"containers": [{"name": "c"}]}, (0, 0, 0)),
}


@pytest.mark.parametrize(("spec", "expected"), CASES.values(), ids=CASES)
def test_amounts(spec, expected):
    given = pod("a")
    given["spec"] = {"nodeName": "n", **spec}
    asked = asked_by(given)

    assert (asked["cpu"], asked["memory"], asked["nvidia.com/gpu"]) == expected
    assert verdict("I13", node(), given).ok is True
