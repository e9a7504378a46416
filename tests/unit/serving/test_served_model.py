"""What a model wants, and which change makes a new version."""

import pytest

from unit.serving.builders import model

WANTED = {  # fields; desired, least
    "all or nothing": ({"replicas": 3}, (3, 3)),
    "at least": ({"replicas": 3, "minimum": 1}, (3, 1)),
    "none": ({"replicas": 0}, (0, 0)),
    "being deleted": ({"replicas": 3, "minimum": 1, "deleted": True}, (0, 0)),
}


@pytest.mark.parametrize(("fields", "wanted"), WANTED.values(), ids=WANTED)
def test_replicas(fields, wanted):
    found = model(**fields)

    assert (found.desired, found.least) == wanted


SPEC = {"storageUri": "a", "memory": "1Mi"}
CHANGES = {
    "nothing": ({}, False),
    "scaling": ({"replicas": 3, "minReplicas": 1, "maxReplicas": 5}, False),
    "the logger": ({"logger": {"percent": 5}}, False),
    "the artifact": ({"storageUri": "b"}, True),
    "the same memory in other words": ({"memory": "1024Ki"}, True),
    "one more field": ({"server": "a"}, True),
}


@pytest.mark.parametrize(("change", "is_new"), CHANGES.values(), ids=CHANGES)
def test_versions(change, is_new):
    assert model(spec=SPEC).differs_in_version(model(spec=SPEC | change)) is is_new
