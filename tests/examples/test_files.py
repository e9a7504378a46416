"""The cluster and the workloads that people may try, each with what comes of it."""

from pathlib import Path

import pytest

from bayplan.cli.main import run

ROOT = Path(__file__).parents[2]
CLUSTER = "examples/clusters/mixed-fleet.yaml"
WAITS = (
    "chat-70b-long: waiting, 0 of 1 replica placed: it would fit this cluster if every booking were gone, but not now"
)
EXPECTED = {
    "agent-pool.yaml": "support-agents: fits, 2 of 2 replicas placed",
    "chat-70b.yaml": "chat-70b: fits, 1 of 1 replica placed",
    "chat-70b-long.yaml": WAITS,
    "chat-8b.yaml": "chat-8b: fits, 3 of 3 replicas placed",
    "fine-tuning.yaml": "fine-tuning: fits, 1 of 1 replica placed",
    "gpustack-model.yaml": "coder-32b: fits, 1 of 1 replica placed",
    "pod.yaml": "batch-embedding: fits, 1 of 1 replica placed",
}


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items(), ids=EXPECTED)
def test_every_workload_can_be_planned_without_a_warning(name, expected, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)

    code = run(["plan", "-f", f"examples/workloads/{name}", "--cluster", CLUSTER])

    out, err = capsys.readouterr()
    assert (code, out.splitlines()[0]) == (2 if expected is WAITS else 0, expected)
    assert err == ""


def test_every_workload_is_expected_here():
    assert {path.name for path in (ROOT / "examples/workloads").iterdir()} == set(EXPECTED)


def test_the_fleet_can_be_counted(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)

    assert run(["gpus", "--cluster", CLUSTER]) == 0
    assert "Sets of free whole cards on one worker" in capsys.readouterr().out
