import json

import pytest

from bayplan.routing.requests.model_text import with_model

BODIES = {
    "first field": b'{"model": "old", "prompt": "x"}',
    "last field, blanks around": b'{"prompt":"x" , "model"  :  "old"  }',
    "a model inside another object": b'{"metadata": {"model": "stays"}, "model":"old","prompt":"x"}',
    "a model as a value": b'{"prompt": "model", "model": "old"}',
    "a model in a list": b'{"stop": ["model", {"model": "stays"}], "model": "old", "prompt": "x"}',
    "quotes in texts": rb'{"prompt": "say \"model\": \"x\", \\", "model": "old"}',
    "braces in texts": b'{"prompt": "}{][", "model": "old"}',
    "an escaped key": rb'{"mod\u0065l": "old", "prompt": "x"}',
    "an escaped value": rb'{"model": "o\"ld", "prompt": "x"}',
    "null": b'{"model": null, "prompt": "x"}',
    "twice, where readers take the last": b'{"model": "a", "model": "b", "prompt": "x"}',
    "none": b'{"prompt": "x"}',
    "an empty object": b"{ }",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_only_the_model_changes(body):
    data = json.loads(body)

    changed = with_model(body, 'new "é"')

    assert json.loads(changed) == {**data, "model": 'new "é"'}


def test_the_other_bytes_stay():
    assert with_model(b'{ "b":1.0,\n "model" : "m" ,"a":1e3 }', "n") == b'{ "b":1.0,\n "model" : "n" ,"a":1e3 }'
