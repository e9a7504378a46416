"""The file of endpoints that Envoy reads: replaced whole, and only when it changes."""

import json

from bayplan.gateway.envoy.endpoints_file import EndpointsFile
from bayplan.routing.endpoints.endpoint import Endpoint

A, B = Endpoint("a", "10.0.0.1"), Endpoint("b", "10.0.0.2", 9000)


def hosts(path):
    document = json.loads(path.read_text())
    (resource,) = document["resources"]
    found = (each["endpoint"]["address"]["socket_address"] for each in resource["endpoints"][0]["lb_endpoints"])
    return [(each["address"], each["port_value"]) for each in found]


def test_endpoints_are_written(tmp_path):
    file = EndpointsFile(tmp_path / "endpoints.json")

    assert file.write([B, A])
    assert hosts(tmp_path / "endpoints.json") == [("10.0.0.1", 8000), ("10.0.0.2", 9000)]


def test_the_same_endpoints_are_not_written_again(tmp_path):
    path = tmp_path / "endpoints.json"
    file = EndpointsFile(path)
    file.write([A, B])
    before = path.stat().st_ino

    assert not file.write([B, A])
    assert path.stat().st_ino == before
    assert file.write([A])
    assert path.stat().st_ino != before
    assert list(tmp_path.iterdir()) == [path]


def test_each_version_has_a_number_of_its_own(tmp_path):
    path = tmp_path / "endpoints.json"
    file = EndpointsFile(path)
    found = []
    for endpoints in ([A], [B], []):
        file.write(endpoints)
        found.append(json.loads(path.read_text())["version_info"])

    assert found == ["1", "2", "3"]
    assert hosts(path) == []


def test_endpoints_that_are_not_ready_are_left_out_unless_none_is(tmp_path):
    path = tmp_path / "endpoints.json"
    file = EndpointsFile(path)
    off = Endpoint("c", "10.0.0.3", ready=False)

    file.write([A, off])
    assert hosts(path) == [("10.0.0.1", 8000)]
    file.write([off])
    assert hosts(path) == [("10.0.0.3", 8000)]
