"""Kinds that are kept: each has its check, or the reason why it has none."""

from __future__ import annotations

import pytest

import bayplan
from bayplan.manifests.stored_kinds import COLLECT_STORED, UNSUPPORTED
from bayplan.manifests.workloads.objects import OF_GROUPS, STORED, Kind


def test_every_stored_kind_has_its_check():
    assert set(STORED.values()) == COLLECT_STORED.keys() | {Kind.ENDPOINT_PICKER_CONFIG}
    assert not STORED.keys() & OF_GROUPS.keys()
    assert not STORED.keys() & UNSUPPORTED.keys()


@pytest.mark.parametrize(("group", "kind"), STORED, ids=map("/".join, STORED))
def test_validate_checks_them(group, kind):
    found = bayplan.validate({"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": "x"}, "spec": 5})

    assert not any("not checked" in each for each in found["warnings"])
    assert not found["valid"]


def test_plans_ignore_them():
    workload = {"metadata": {"name": "w"}, "spec": {"gpus": {"count": 1}}}
    server = {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Server", "metadata": {"name": "Bad_Name"}}
    found = bayplan.plan([workload, server], {"workers": [{"name": "a", "gpus": {"count": 1}}]})

    assert found["verdict"] == "fits"
    assert "not workloads and are ignored: Server" in found["warnings"][0]
