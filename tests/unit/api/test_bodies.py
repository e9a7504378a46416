"""Bodies of requests: JSON, YAML and protobuf in, data out."""

from base64 import b64decode

import pytest

from bayplan.api.bodies import read_body
from bayplan.api.status import Refusal

PROTOBUF = "application/vnd.kubernetes.protobuf"


def test_json_yaml_and_protobuf_say_the_same():
    sent = b64decode("azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhsKEQoBYRIAGgAiACoAMgA4AEIAEgYKAXgSAXkaACIA")
    expected = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}}

    assert read_body(sent, PROTOBUF) == expected
    assert read_body(b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"y"}}', "") == expected
    assert read_body(b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: 'y'}", "text/yaml") == expected


BAD = {
    "no object": (b"[]", "application/json", 400),
    "broken JSON": (b"{", "application/json", 400),
    "broken protobuf": (b"k8s\x00\x08", PROTOBUF, 400),
    "two documents": (b"a: 1\n---\nb: 1", "application/yaml", 400),
    "more nodes than one object has": (b"[%b1]" % (b"1," * 50_000), "application/json", 400),
    "YAML as dense": (b"- 1\n" * 60_000, "application/yaml", 400),
    "another type": (b"{}", "application/cbor", 415),
}


@pytest.mark.parametrize(("body", "media", "code"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_refused(body, media, code):
    with pytest.raises(Refusal) as refused:
        read_body(body, media)

    assert refused.value.code == code


def test_a_number_of_more_than_64_bits_is_the_same_in_yaml_and_in_json():
    assert (
        read_body(b"a: 1" + b"0" * 30, "application/yaml") == read_body(b'{"a": 1%b}' % (b"0" * 30), "") == {"a": 1e30}
    )
