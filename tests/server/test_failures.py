"""An error that should not happen: the client gets a number, the log one line, neither the body."""

import pytest

from bayplan_up import RunningServer

BROKEN = """
from bayplan.api.admission import Admission
def admit(self, call, document):
    raise KeyError(str(document))
Admission.admit = admit
"""
PATH = "/api/v1/namespaces/default/configmaps"


@pytest.mark.parametrize("debug", [False, True])
def test_unexpected(tmp_path, debug):
    told = {"BAYPLAN_DEBUG": "1"} if debug else {}
    with RunningServer(tmp_path, "--insecure-http", before=BROKEN, **told) as server:
        answer = server.ask("POST", PATH, {"data": {"password": "hunter2"}})
        ended, log = server.stop(), server.errors()

    assert (answer.code, ended) == (500, 0)
    number = answer.document["details"]["uid"]
    assert number in answer.document["message"]
    assert "hunter2" not in answer.body.decode()
    assert "hunter2" not in log
    (line,) = (each for each in log.splitlines() if number in each)
    assert f"POST {PATH}: KeyError" in line
    assert ("File " in log) is debug
