import json

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.fields import read_whole
from bayplan.manifests.reader import Document
from bayplan.manifests.routing.request_form import RequestForm, read_request


def read(**data):
    document = Document(data, "requests")
    return read_whole(read_request, document, data)[0]


FORMS = {
    "a prompt": ({"model": "m", "prompt": "x"}, "/v1/completions", {"model": "m", "prompt": "x"}),
    "tokens": ({"model": "m", "tokens": [1, 2]}, "/v1/completions", {"model": "m", "prompt": [1, 2]}),
    "messages": (
        {"model": "m", "messages": [{"role": "user"}], "stream": True, "max_tokens": 3, "cache_salt": "s"},
        "/v1/chat/completions",
        {"model": "m", "messages": [{"role": "user"}], "max_tokens": 3, "stream": True, "cache_salt": "s"},
    ),
    "a model alone": ({"model": "m"}, "/v1/completions", {"model": "m"}),
    "in full": ({"path": "/x", "body": {"a": 1}}, "/x", {"a": 1}),
    "a body that is text": ({"path": "/x", "body": '{"a": 1}'}, "/x", {"a": 1}),
    "a path beside the short form": ({"path": "/y", "model": "m", "prompt": "x"}, "/y", {"model": "m", "prompt": "x"}),
}


@pytest.mark.parametrize(("data", "path", "body"), FORMS.values(), ids=FORMS)
def test_forms(data, path, body):
    found = read(id="r", **data)

    assert (found.id, found.path, json.loads(found.body)) == ("r", path, body)


def test_headers_only():
    assert read(path="/v1/models") == RequestForm("request-1", "/v1/models")
    assert read(id="r") == RequestForm("r")


def test_everything_else():
    found = read(
        id=7,
        prompt="x",
        headers={"X": 1, "y": 2.5},
        subset=["10.0.0.1"],
        priority=-3,
        fairnessId="f",
        bytes=10,
        ttlSeconds=0,
    )

    assert (found.id, found.headers, found.subset) == ("7", {"X": "1", "y": "2.5"}, ("10.0.0.1",))
    assert (found.priority, found.fairness_id, found.size_bytes, found.ttl_s) == (-3, "f", 10, 0.0)
    assert read(subset=[]).subset == ()
    assert read().subset is None


WRONG = {
    "a priority that is text": ({"priority": "high"}, "priority"),
    "a time that is text": ({"ttlSeconds": "soon"}, "ttlSeconds"),
    "headers that are a list": ({"headers": ["x"]}, "headers"),
    "a body that is no JSON": ({"body": {"x": {1, 2}}}, "body"),
}


@pytest.mark.parametrize(("data", "place"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(data, place):
    with pytest.raises(InputError) as caught:
        read(**data)

    assert caught.value.place == f"requests: {place}"
