import json

import pytest

from bayplan.cli.main import run

GROUP = """
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {minMember: 1}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {scheduling.x-k8s.io/pod-group: train}}
spec: {containers: [{name: c, image: job}]}
status: {phase: Running}
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "group.yaml").write_text(GROUP)
    (tmp_path / "pods.yaml").write_text(POD)
    return str(tmp_path / "group.yaml"), str(tmp_path / "pods.yaml")


def test_a_table(files, capsys):
    code = run(["status", "-f", files[0], "--cluster", files[1]])

    header, row = capsys.readouterr().out.splitlines()
    assert code == 0
    assert header.split() == ["GROUP", "PHASE", "MIN", "PODS", "RUNNING", "SUCCEEDED", "FAILED", "TIMED", "OUT"]
    assert row.split() == ["train", "Running", "1", "1", "1", "0", "0", "no"]


def test_the_document_at_a_time(files, capsys):
    code = run(["status", files[0], "--now", "2026-01-04T00:00:00Z", "-o", "json"])

    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (document["kind"], document["phase"], document["timed_out"]) == ("Status", "Pending", True)


def test_files_without_a_group(files, capsys):
    assert run(["status", files[1]]) == 1
    assert capsys.readouterr().err.startswith("error: documents: there is no PodGroup")
