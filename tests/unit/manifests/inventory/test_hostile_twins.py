"""Each inventory fixture has a twin whose values are of the wrong kind: told with a place, never a traceback."""

import json

import pytest

import bayplan
from unit.manifests.inventory.builders import FIXTURES

TWINS = sorted(path.name for path in FIXTURES.glob("*-hostile.json"))
BY_THEIR_DRIVER = {"nvml.json"}  # recorded answers of a C library, whose kinds are fixed: test_local.py


def read(name):
    return json.loads((FIXTURES / name).read_text())


def answer(document):
    """What is read, or the error that says why not."""
    try:
        return bayplan.read_cluster(document)
    except bayplan.BayplanError as error:
        return error


def test_every_form_has_a_twin():
    forms = {path.name for path in FIXTURES.glob("*.json")} - set(TWINS) - BY_THEIR_DRIVER

    assert {name.replace("-hostile", "") for name in TWINS} == forms


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_is_refused_with_a_place_or_read_with_warnings(name):
    checked = bayplan.validate([read(name)])
    came = answer(read(name))

    if isinstance(came, bayplan.BayplanError):
        assert came.place.startswith("documents[0]: items[")
        assert came.next
    else:
        assert came["warnings"]
    assert all(problem["place"] and problem["message"] for problem in checked["errors"])


def kept(value, good):
    """Like the twin, but what has the wrong kind is as in the original: only wrong texts are left."""
    if isinstance(good, dict):
        return {key: kept(value.get(key), each) for key, each in good.items()}
    if isinstance(good, list):
        return [kept(each, other) for each, other in zip(value, good, strict=True)]
    return value if type(value) is type(good) else good


@pytest.mark.parametrize("name", TWINS)
def test_texts_without_sense_are_refused_with_a_place_or_lose_no_worker(name):
    good = read(name.replace("-hostile", ""))
    came = answer(kept(read(name), good))

    if isinstance(came, bayplan.BayplanError):
        assert came.place.startswith("documents[0]: items[")
    else:
        names = [each["name"] for each in bayplan.read_cluster(good)["workers"]]
        assert [each["name"] for each in came["workers"]] == names
        json.dumps(bayplan.gpus(came))
