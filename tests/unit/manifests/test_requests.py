"""Workloads and models of one call, in the order of the documents."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document
from bayplan.manifests.requests import ReadModel, read_requests


def model(name, **spec):
    return {
        "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": name},
        "spec": {"storageUri": "x", "memory": "1Mi", **spec},
    }  # fmt: skip


def workload(name):
    return {"metadata": {"name": name}, "spec": {"gpus": {"count": 1}}}


def read(*given):
    return read_requests([Document(each, f"d{number}") for number, each in enumerate(given)])


def names(requests):
    return [each.model.key.name if isinstance(each, ReadModel) else each.workload.name for each in requests]


def test_the_order_of_the_documents():
    assert names(read(workload("a"), model("b"), {"kind": "List", "items": [model("c"), workload("d")]})) == list(
        "abcd"
    )


def test_warnings_belong_to_their_models():
    first, second = read(model("a", colour=1), model("b"))

    assert ("colour" in first.warnings[0], second.warnings) == (True, ())


def test_the_first_request_names_what_was_ignored():
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}

    assert "ignored: Service" in read(service, model("a"))[0].warnings[-1]
    assert [("ignored: Service" in str(each.warnings)) for each in read(model("a"), service, workload("b"))] == [
        False,
        True,
    ]


def test_all_problems_are_counted():
    with pytest.raises(InputError, match="and 1 more problem") as caught:
        read(model("a", memory="-1"), model("B"))

    assert caught.value.place == "d0: spec.memory"


def test_nothing_to_place():
    with pytest.raises(InputError, match="there is no workload"):
        read({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}})
