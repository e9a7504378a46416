"""How Pods of a workload must stand to each other."""

from __future__ import annotations

import pytest

from bayplan.cluster.topology import Level
from bayplan.manifests.workloads.neighbours import Neighbours, Sort, Together, of_a_lone_pod, read_neighbours, settle
from unit.manifests.opened import opened, places

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
OWN = {"matchLabels": {"app": "chat"}}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def anti(key=HOST, selector=OWN, **more):
    return {"affinity": {"podAntiAffinity": {REQUIRED: [{"topologyKey": key, "labelSelector": selector, **more}]}}}


def spread(key=ZONE, selector=OWN, skew=1, **more):
    constraint = {"topologyKey": key, "labelSelector": selector, "maxSkew": skew}
    return {"topologySpreadConstraints": [constraint | {"whenUnsatisfiable": "DoNotSchedule"} | more]}


def port(**port):
    return {"containers": [{"name": "c", "ports": [port]}]}


def read(spec, labels=None):
    fields = opened(spec)
    metadata = opened({"labels": {"app": "chat"} if labels is None else labels})
    return read_neighbours(metadata, fields, fields.children("containers")), fields


FOLLOWED = {
    "nothing said": ({}, Together()),
    "apart": (anti(), Together(apart=True)),
    "apart, by expressions": (
        anti(selector={"matchExpressions": [{"key": "app", "operator": "In", "values": ["chat", "db"]}]}),
        Together(apart=True),
    ),
    "even over zones": (spread(), Together(spread_over=Level.ZONE)),
    "even over racks": (spread("topology.kubernetes.io/rack"), Together(spread_over=Level.RACK)),
    "hard by default": (spread(whenUnsatisfiable=None), Together(spread_over=Level.ZONE)),
    "of one revision": (spread(matchLabelKeys=["pod-template-hash"]), Together(spread_over=Level.ZONE)),
    "both": (anti() | spread(), Together(True, Level.ZONE)),
    "a preference": (spread(HOST, whenUnsatisfiable="ScheduleAnyway"), Together()),
    "a host port": (port(containerPort=80, hostPort=8080), Together(apart=True)),
    "a port of the Pod": (port(containerPort=80), Together()),
    "a port of the host's network": ({"hostNetwork": True} | port(containerPort=80), Together(apart=True)),
}


@pytest.mark.parametrize(("spec", "together"), FOLLOWED.values(), ids=FOLLOWED)
def test_followed(spec, together):
    neighbours, fields = read(spec)

    assert settle([Sort(neighbours, 3)]) == together
    assert not fields.findings.errors


NOT_UNDERSTOOD = {
    "apart over zones": (anti(ZONE), "podAntiAffinity over topology.kubernetes.io/zone is not followed"),
    "apart from others": (anti(selector={"matchLabels": {"app": "db"}}), "selects other Pods"),
    "apart from all": (anti(selector={}), "selects other Pods"),
    "apart in other namespaces": (anti(namespaceSelector={}), "with namespaceSelector is not followed"),
    "apart where a label differs": (anti(mismatchLabelKeys=["app"]), "with mismatchLabelKeys is not followed"),
    "beside others": ({"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": ZONE}]}}}, "required podAffinity"),
    "even over workers": (spread(HOST), "over kubernetes.io/hostname with maxSkew 1 is not followed"),
    "even, by two": (spread(skew=2), "with maxSkew 2 is not followed"),
    "even among others": (spread(selector={"matchLabels": {"x": "y"}}), "selects other Pods"),
    "over several domains": (spread(minDomains=2), "minDomains is not followed"),
    "over two levels": (
        {"topologySpreadConstraints": [
            *spread()["topologySpreadConstraints"],
            *spread("topology.kubernetes.io/rack")["topologySpreadConstraints"],
        ]},
        "over rack and zone at once",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "reason"), NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_not_understood(spec, reason):
    neighbours, fields = read(spec)

    assert reason in settle([Sort(neighbours, 2)]).unknown
    assert not fields.findings.errors


@pytest.mark.parametrize("spec", [anti(), anti(ZONE), spread(HOST), spread(skew=3), port(hostPort=1)])
def test_one_pod_is_alone_with_itself(spec):
    assert settle([Sort(read(spec)[0], 1)]) == Together()


@pytest.mark.parametrize("spec", [anti(), spread()])
def test_whom_a_lone_pod_means_is_not_known(spec):
    assert "Pod without a controller" in of_a_lone_pod(read(spec)[0]).unknown


def test_roles_that_a_rule_means_in_part():
    worker, head = read(anti())[0], Neighbours()

    assert "selects other Pods" in settle([Sort(head, 1), Sort(worker, 2)]).unknown
    assert settle([Sort(head, 0), Sort(worker, 2)]) == Together(apart=True)


PORTS = {
    "all share one": (({"1"}, 1), ({"1", "2"}, 2), Together(apart=True)),
    "each its own": (({"1"}, 1), ({"2"}, 1), Together()),
    "some share one": (({"1"}, 2), (set(), 1), None),
}


@pytest.mark.parametrize(("one", "other", "together"), PORTS.values(), ids=PORTS)
def test_host_ports_of_roles(one, other, together):
    sorts = [Sort(Neighbours(ports=frozenset(ports)), replicas) for ports, replicas in (one, other)]
    found = settle(sorts)

    assert found == together if together else "hostPort" in found.unknown


def test_groups_count_together():
    apart, even = read(anti())[0], read(spread())[0]

    assert settle([Sort(apart, 1)], groups=2) == Together(apart=True)
    assert "not followed" in settle([Sort(even, 1)], groups=2).unknown


TOLD = {
    "a preference": {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{}]}}},
    "a spread that is preferred": spread(HOST, whenUnsatisfiable="ScheduleAnyway"),
    "a host port": port(hostPort=80),
    "what others are called": anti(),
}


@pytest.mark.parametrize("spec", TOLD.values(), ids=TOLD)
def test_told(spec):
    assert len(read(spec)[1].findings.warnings) == 1


def test_refused():
    fields = read(spread(skew=0, whenUnsatisfiable="Never"))[1]

    assert places(fields) == ["topologySpreadConstraints[0].maxSkew", "topologySpreadConstraints[0].whenUnsatisfiable"]
