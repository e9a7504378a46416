"""`bayplan gateway relay`: its flags. What it serves is tested in tests/gateway."""

import json

import pytest

from bayplan.cli.gateway.relay import worker_command
from bayplan.cli.gateway.relay_flags import LimitFlags, PortFlags, RecordFlags, settings
from bayplan.cli.main import run

MIB = 1024 * 1024


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "endpoints.json"
    path.write_text(json.dumps({"endpoints": [{"name": "a", "address": "127.0.0.1", "port": 1}]}))
    return str(path)


WRONG = {
    "no endpoints": ([], "--endpoints: there are no endpoints; name a file"),
    "a pool without a server": (["--pool", "p"], "--pool: they are objects of a server; name it: --server URL"),
    "a file that is not there": (["--endpoints", "nowhere.yaml"], "nowhere.yaml: "),
    "a configuration that is none": (["--endpoints", "{file}", "--config", "{file}"], "{file}"),
    "no process": (["--endpoints", "{file}", "--processes", "0"], "--processes: 0 is less than 1"),
    "a body of no size": (["--endpoints", "{file}", "--body-mib", "0"], "body_bytes: 0 is not more than 0"),
    "retries": (["--endpoints", "{file}", "--retries", "-1"], "retries.most: -1 is less than 0"),
    "a certificate that is none": (["--endpoints", "{file}", "--tls-cert", "{file}"], "--tls-cert: {file}: "),
    "a port": (["--endpoints", "{file}", "--port", "70000"], "--port: 70000 is no port"),
    "a server": (["--server", "nowhere"], "nowhere: "),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be(words, message, file, capsys):
    assert run(["gateway", "relay", *(each.format(file=file) for each in words)]) == 1
    assert capsys.readouterr().err.startswith(f"error: {message.format(file=file)}")


def test_flags_become_settings():
    found = settings(LimitFlags(body_mib=2, first_byte_seconds=5.0, retries=1), RecordFlags(decision_header=True))

    assert found.limits.body_bytes == 2 * MIB
    assert found.patience.first_byte_s == 5.0
    assert found.retries.most == 1
    assert found.records.on_demand


def test_another_process_gets_the_same_limits(tmp_path):
    words = worker_command(PortFlags(host="10.0.0.7", tls_cert=tmp_path), LimitFlags(body_mib=2), "json")

    assert words[3:5] == ["gateway", "relay"]
    pairs = dict(zip(words[5::2], words[6::2], strict=False))
    assert pairs["--host"] == "10.0.0.7"
    assert pairs["--tls-cert"] == str(tmp_path)
    assert pairs["--body-mib"] == "2"
    assert pairs["--log"] == "json"
    assert words[-1] == "--worker-of"
