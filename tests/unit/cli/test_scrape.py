import io
import json
import sys

import pytest

from bayplan.cli.main import run

TEXT = """\
vllm:num_requests_waiting 3
vllm:num_requests_running NaN
vllm:kv_cache_usage_perc 0.25
vllm:lora_requests_info{max_lora="4",running_lora_adapters="sql,chat",waiting_lora_adapters=""} 1
"""
CONFIG = """
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: core-metrics-extractor
  parameters:
    engineConfigs:
    - {name: mine, queuedRequestsSpec: 'vllm:num_requests_waiting', customMetrics: [{attributeKey: k, metricSpec: m}]}
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "metrics.txt").write_text(TEXT)
    return str(tmp_path / "metrics.txt")


def test_a_table(file, capsys):
    assert run(["scrape", file]) == 0

    printed = capsys.readouterr()
    rows = {line.split()[0]: line.split()[1] for line in printed.out.splitlines()}
    assert (rows["waiting"], rows["running"], rows["kvCacheUsage"]) == ("3", "unknown", "0.25")
    assert rows["loras.waiting"] == "none"
    assert "vllm:num_requests_running" in printed.err


def test_the_document(file, capsys):
    assert run(["scrape", "--engine", "vllm", file, "-o", "json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "Metrics"
    assert document["loras"] == {"active": ["sql", "chat"], "waiting": [], "max": 4}


def test_from_stdin(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))

    assert run(["scrape", "-", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["waiting"] == 3


def test_an_engine_of_a_configuration(file, tmp_path, capsys):
    (tmp_path / "config.yaml").write_text(CONFIG)

    assert run(["scrape", "--engine", "mine", "--config", str(tmp_path / "config.yaml"), file]) == 0
    assert ["k", "unknown", "attribute"] in [line.split() for line in capsys.readouterr().out.splitlines()]


REFUSED = {
    "an unknown engine": (["scrape", "--engine", "warp", "FILE"], "error: engine: no engine is called 'warp'"),
    "a file that is not there": (["scrape", "nowhere.txt"], "error: nowhere.txt: it cannot be read"),
}


@pytest.mark.parametrize(("words", "error"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(words, error, file, capsys):
    assert run([file if word == "FILE" else word for word in words]) == 1
    assert capsys.readouterr().err.startswith(error)
