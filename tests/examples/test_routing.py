"""The files of examples/routing, as their first lines say."""

from pathlib import Path

import pytest

import bayplan
from bayplan.manifests.reader import read_file

FOLDER = Path(__file__).parents[2] / "examples" / "routing"


def read(name):
    return read_file(FOLDER / name)[0]


@pytest.mark.parametrize("config", [None, "flow.yaml"])
def test_a_request(config):
    answer = bayplan.route(read("request.yaml"), read("endpoints.yaml"), config=config and read(config))

    assert (answer["status"], answer["priority"], answer["warnings"]) == (200, 10, [])
    assert answer["picked"][0]["endpoint"] in ("qwen-0", "qwen-1")


def test_flow_control():
    answer = bayplan.route(read("steps.yaml"), read("endpoints.yaml"), config=read("flow.yaml"))

    assert {item["request"]: item["status"] for item in answer["items"]} == {
        "batch-1": 200,
        "batch-2": 429,
        "batch-3": 200,
        "chat-1": 200,
    }
