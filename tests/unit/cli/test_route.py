import io
import json
import sys

import pytest

from bayplan.cli.main import run
from bayplan.cli.route import status_of

ENDPOINTS = """
endpoints:
- {name: a, address: 10.0.0.1, metrics: {waiting: 0, kvCacheUsage: 0.1}}
- {name: b, address: 10.0.0.2, metrics: {waiting: 5, kvCacheUsage: 0.5}}
- {name: c, address: 10.0.0.3, ready: false}
"""
CONFIG = """
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: by-label
  parameters: {label: x, validValues: ["1"], allowsNoLabel: true}
- type: lora-affinity-scorer
schedulingProfiles:
- name: default
  plugins: [{pluginRef: by-label}, {pluginRef: queue-scorer, weight: 2}]
"""
REQUEST = "{id: r, model: m, prompt: hello world}"


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"e.yaml": ENDPOINTS, "c.yaml": CONFIG, "r.yaml": REQUEST}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def route(*more):
    return run(["route", "--endpoints", "e.yaml", "--request", "r.yaml", *more])


def test_why_this_endpoint(written, capsys):
    assert route("--config", "c.yaml") == 0

    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "r: 200 ok: profile default picked a",
        "model m, priority 0, flow default-flow, 3 prompt tokens, read by openai-parser; saturation 0.5625",
        "",
        "Profile default: picked a",
        "ENDPOINT  TOTAL  MADE OF             CACHED BLOCKS",
        "a         2      2 x queue-scorer 1  -",
        "b         0      2 x queue-scorer 0  -",
        "",
        "REFUSED  BY",
        "c        endpoint-ready: is not ready (not-ready)",
        "",
        "HEADER                          VALUE",
        "x-gateway-destination-endpoint  10.0.0.1:8000",
    ]
    assert "lora-affinity-scorer" in printed.err


def test_our_own_policy_says_what_an_endpoint_would_cost(written, capsys):
    assert route() == 0
    assert "prefill-cost-scorer 0.9991 (costs 0.0009 s)" in capsys.readouterr().out


def test_the_document(written, capsys):
    assert route("-o", "json", "--seed", "3") == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "Route"


def test_from_stdin(written, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{path: /v1/models}")))

    assert run(["route", "--endpoints", "e.yaml", "--request", "-"]) == 0
    assert "without a body no profile runs" in capsys.readouterr().out


MISSING = "body.prompt: is missing, but this path needs it; send 'prompt' in the body"
STEPS = """
- {id: r1, model: m, prompt: x}
- {id: r2, model: m, subset: []}
- {id: r3, model: m, prompt: x, priority: -1}
"""


def test_several_requests_are_a_line_each(written, capsys):
    (written / "r.yaml").write_text(STEPS)

    assert route("--config", "c.yaml") == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "REQUEST  STATUS  ENDPOINT  WHY",
        "r1       200     a         -",
        f"r2       400     -         bad-request: {MISSING}",
        "r3       200     a         -",
    ]
    assert lines[-1] == "2 dispatched, 0 waiting, saturation 0.7"


def test_wide_tells_everything_of_each(written, capsys):
    (written / "r.yaml").write_text(STEPS)

    assert route("--config", "c.yaml", "-o", "wide") == 3
    assert capsys.readouterr().out.count("Profile default: picked") == 2


def test_documents_of_one_file_are_steps(written, capsys):
    (written / "r.yaml").write_text("{id: r1, model: m}\n---\n{id: r2, model: m}\n")

    assert route("-o", "json") == 2
    assert [item["request"] for item in json.loads(capsys.readouterr().out)["items"]] == ["r1", "r2"]


def test_what_waits(written, capsys):
    (written / "c.yaml").write_text(
        "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\nfeatureGates: [flowControl]\n"
    )
    (written / "e.yaml").write_text("endpoints: []")

    assert route("--config", "c.yaml") == 2
    assert "r: waits" in capsys.readouterr().out
    (written / "r.yaml").write_text(f"[{REQUEST}]")
    assert route("--config", "c.yaml") == 2
    printed = capsys.readouterr().out
    assert "r        waits   -         -" in printed
    assert "PRIORITY  CEILING  WAITING" in printed


ERRORS = {
    "no request in the file": ({"r.yaml": ""}, (), "r.yaml"),
    "an endpoint twice": (
        {"e.yaml": "endpoints: [{name: a, address: x}, {name: a, address: y}]"},
        (),
        "endpoints[1].name",
    ),
    "a wrong configuration": (
        {"c.yaml": CONFIG.replace("queue-scorer", "cue-scorer", 1)},
        ("--config", "c.yaml"),
        "c.yaml:5",
    ),
    "stdin twice": ({}, ("--endpoints", "-", "--endpoints", "-"), "<stdin>"),
}


@pytest.mark.parametrize(("files", "more", "place"), ERRORS.values(), ids=ERRORS)
def test_errors(written, capsys, files, more, place):
    for name, text in files.items():
        (written / name).write_text(text)

    assert route(*more) == 1
    assert place in capsys.readouterr().err


@pytest.mark.parametrize(("statuses", "code"), [([200], 0), ([200, 429], 3), ([None], 2), ([503, 400], 2), ([], 0)])
def test_exit_codes(statuses, code):
    assert status_of([{"status": status} for status in statuses]) == code
