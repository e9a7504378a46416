import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document
from bayplan.manifests.routing.steps import read_steps
from bayplan.routing.endpoints.kv_event import KvEvent


def read(*steps):
    return read_steps(Document(list(steps), "requests"))


def test_a_request_by_itself_arrives():
    steps, warnings = read({"model": "m", "prompt": "x"}, {"at": 2, "arrive": {"id": "b", "prompt": "y"}})

    assert [(step.at_s, step.kind, step.value.id) for step in steps] == [
        (0.0, "arrive", "request-1"),
        (2.0, "arrive", "b"),
    ]
    assert warnings == ()


KINDS = {
    "first token": ({"first-token": "r"}, "first-token", "r"),
    "the end": ({"complete": "r"}, "complete", ("r", None)),
    "the end with its usage": ({"complete": "r", "usage": {"promptTokens": 3}}, "complete", ("r", (3, 0))),
    "abort": ({"abort": "r"}, "abort", "r"),
    "metrics": ({"metrics": {"a": {"waiting": 2}, "b": {}}}, "metrics", {"a": {"waiting": 2}, "b": {}}),
    "down": ({"endpoint-down": "a"}, "endpoint-down", "a"),
    "stored": (
        {"kv": {"endpoint": "a", "stored": {"model": "m", "tokens": [1]}}},
        "kv",
        ("a", KvEvent("stored", "m", (1,), "gpu")),
    ),
    "removed": (
        {"kv": {"endpoint": "a", "removed": {"model": "m", "tokens": [1], "medium": "cpu"}}},
        "kv",
        ("a", KvEvent("removed", "m", (1,), "cpu")),
    ),
    "cleared": ({"kv": {"endpoint": "a", "cleared": True}}, "kv", ("a", KvEvent("cleared"))),
    "tick": ({"tick": True}, "tick", True),
    "shutdown": ({"shutdown": True}, "shutdown", True),
}


@pytest.mark.parametrize(("step", "kind", "value"), KINDS.values(), ids=KINDS)
def test_kinds(step, kind, value):
    ((found,), warnings) = read(step)

    assert (found.kind, found.value, warnings) == (kind, value, ())


def test_an_endpoint_comes_up():
    ((found,), _) = read({"endpoint-up": {"name": "a", "address": "x", "ports": [1, 2]}})

    assert [each.name for each in found.value] == ["a-rank-0", "a-rank-1"]


def test_a_step_takes_the_time_of_the_one_before():
    steps, _ = read({"at": 3, "tick": True}, {"tick": True})

    assert [step.at_s for step in steps] == [3.0, 3.0]


WRONG = {
    "back in time": (({"at": 3, "tick": True}, {"at": 2, "tick": True}), "[1].at"),
    "two things at once": (({"tick": True, "abort": "r"},), "[0]"),
    "an event without blocks": (({"kv": {"endpoint": "a"}},), "[0].kv"),
    "blocks without tokens": (({"kv": {"endpoint": "a", "stored": {"model": "m"}}},), "[0].kv.stored.tokens"),
    "metrics below 0": (({"metrics": {"a": {"waiting": -1}}},), "[0].metrics.a.waiting"),
    "a step that is text": (("tick",), "[0]"),
}


@pytest.mark.parametrize(("steps", "place"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(steps, place):
    with pytest.raises(InputError) as caught:
        read(*steps)

    assert caught.value.place == f"requests: {place}"


def test_unknown_fields_are_told():
    assert "colour" in read({"tick": True, "colour": "red"})[1][0]
