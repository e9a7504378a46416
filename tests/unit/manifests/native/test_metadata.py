"""Who asks."""

from __future__ import annotations

import pytest

from bayplan.cluster.workload import WorkloadId
from bayplan.framework.errors import InputError
from bayplan.manifests.native.metadata import read_id, timestamp_s
from unit.manifests.opened import opened, places


def test_the_least():
    assert read_id(opened({"metadata": {"name": "a"}})) == WorkloadId("a")


def test_everything():
    metadata = {"name": "a", "namespace": "n", "uid": "u", "creationTimestamp": "1970-01-01T00:01:00Z", "labels": {}}
    fields = opened({"metadata": metadata})

    assert read_id(fields, 5) == WorkloadId("a", "n", "u", 5, 60.0)
    assert not fields.findings.warnings


@pytest.mark.parametrize("data", [{}, {"metadata": {}}, {"metadata": {"name": None}}, {"metadata": {"name": ""}}])
def test_a_name_must_be_there(data):
    fields = opened(data)
    read_id(fields)

    assert places(fields) == ["metadata.name"]


def test_the_beginning_of_a_name_is_enough():
    assert read_id(opened({"metadata": {"generateName": "job-"}})).name == "job-"
    assert read_id(opened({"metadata": {"generateName": "job-", "name": "job-x"}})).name == "job-x"


def test_a_time_with_an_offset():
    assert timestamp_s("1970-01-01T01:00:00+01:00") == 0.0


@pytest.mark.parametrize("value", ["yesterday", "1970-01-01T00:00:00", 5])
def test_no_time(value):
    with pytest.raises(InputError, match="is no time"):
        timestamp_s(value)
