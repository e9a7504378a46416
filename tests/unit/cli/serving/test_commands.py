"""Models on the command line: plan, why, status, scale and rehearse."""

import json

import pytest
import yaml

from bayplan.cli.main import run

CLUSTER = """
servers:
- {name: mlserver, capabilities: [sklearn], memory: 1Gi, minReplicas: 1, maxReplicas: 4, replicas: 2}
- {name: triton, capabilities: [onnx], memory: 4Gi, replicas: 2}
bookings:
- {workload: income, server: mlserver, serverReplica: 0, memory: 300Mi}
"""


def model(name, **spec):
    spec = {"storageUri": "x", "memory": "100Mi", "requirements": ["sklearn"], **spec}
    return {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def bayplan(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder with a cluster and these documents; exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text(CLUSTER)

    def call(*words, documents=(), **files):
        (tmp_path / "m.yaml").write_text(yaml.safe_dump_all(documents))
        for name, data in files.items():
            (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(data))
        status = run([*words, "--cluster", "c.yaml"])
        out, err = capsys.readouterr()
        return status or 0, out, err

    return call


EXITS = {  # models; exit code
    "fits": ([model("a")], 0),
    "partly": ([model("a", replicas=3, minReplicas=1)], 3),
    "waiting": ([model("a", memory="1000Mi", replicas=2)], 2),
    "infeasible": ([model("a", memory="9Gi")], 2),
    "refused, and keeps what it has": ([model("income", replicas=9)], 2),
    "some fit": ([model("a"), model("b", memory="9Gi")], 3),
    "none wanted": ([model("a", replicas=0)], 0),
}


@pytest.mark.parametrize(("documents", "status"), EXITS.values(), ids=EXITS)
def test_exit_codes_of_plan(documents, status, bayplan):
    assert bayplan("plan", "-f", "m.yaml", documents=documents)[0] == status


def test_a_plan_of_one_model(bayplan):
    _, out, _ = bayplan("plan", "-f", "m.yaml", documents=[model("income", replicas=3, minReplicas=1)])

    assert "income: partly, 2 of 3 replicas on server mlserver" in out
    assert "mlserver  0        100  stays" in out
    assert "triton    0-1      capability-missing  does not offer sklearn" in out
    assert "More of it would fit if server mlserver had 3 replicas." in out
    assert "Before this plan is carried out: ModelAvailable, 1 of 3 replicas available." in out
    assert "To see every server" in out


def test_a_plan_of_several_models_and_a_workload(bayplan):
    job = {"metadata": {"name": "job"}, "spec": {}}
    _, out, err = bayplan("plan", "-f", "m.yaml", documents=[model("a"), job, model("b", memory="9Gi")])

    assert "2 models: 1 fits, 1 infeasible; 1 of 2 replicas placed on 1 server" in out
    assert "1 workloads: " in out
    assert "mlserver/0: needs 9216 MiB, 724 MiB are free" in out
    assert "the cluster has no workers" not in err


def test_removals_and_details(bayplan):
    _, out, _ = bayplan("plan", "-f", "m.yaml", "-o", "wide", documents=[model("income", replicas=0), model("b")])

    assert "What goes away" in out
    assert "mlserver  0        1        surplus" in out
    assert "income: fits, no replica is wanted" in out


def test_what_was_planned_is_written_with_everything_else(bayplan, tmp_path):
    status, out, _ = bayplan("plan", "-f", "m.yaml", "--commit-to", "out.yaml", documents=[model("a", replicas=2)])
    written = yaml.safe_load((tmp_path / "out.yaml").read_text())

    assert (status, "replicas added: 2, removed: 0" in out) == (0, True)
    assert [each["state"] for each in written["bookings"]] == ["available", "load-requested", "load-requested"]
    assert [each["name"] for each in written["servers"]] == ["mlserver", "triton"]
    (tmp_path / "c.yaml").write_text((tmp_path / "out.yaml").read_text())
    again = json.loads(bayplan("plan", "-f", "m.yaml", "-o", "json", documents=[model("a", replicas=2)])[1])
    assert [each["kept"] for each in again["replicas"]] == [True, True]


def test_why(bayplan):
    status, out, _ = bayplan("why", "-f", "m.yaml", documents=[model("a", memory="9Gi")])

    assert status == 0
    assert "a: infeasible: it would not fit this cluster even if every booking were gone" in out
    assert "mlserver  no           0 of 2        -      -       1024" in out
    assert "mlserver  1        memory-short        needs 9216 MiB, 1024 MiB are free" in out


def test_why_without_servers(bayplan, tmp_path):
    (tmp_path / "c.yaml").write_text("servers: []\n")

    assert "the cluster has no servers" in bayplan("why", "-f", "m.yaml", documents=[model("a")])[1]


def test_status(bayplan):
    server = {
        "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Server", "metadata": {"name": "triton"},
        "spec": {"serverConfig": "triton"},
    }  # fmt: skip
    group = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"minMember": 1},
    }
    status, out, _ = bayplan("status", "-f", "m.yaml", documents=[model("income"), server, group])

    assert status == 0
    assert "income  True   ModelAvailable  1                 1                   fully" in out
    assert "triton  True   2         2         0" in out
    assert "GROUP" in out


def test_scale(bayplan):
    signals = {"models": {"income": {"lag": 99}}}
    _, out, _ = bayplan(
        "scale",
        "-f",
        "m.yaml",
        "--signals",
        "signals.yaml",
        documents=[model("income", maxReplicas=3)],
        signals=signals,
    )

    assert "income    model   1        2        up      lag" in out
    assert "mlserver  server  2        1        down    empty-replicas" in out


def test_scale_without_models(bayplan):
    assert "income" not in bayplan("scale")[1]


def test_rehearse(bayplan):
    steps = {"steps": [{"do": {"apply": model("a")}}, {"do": {"settle": {}}}, {"do": {"infer": {"model": "a"}}}]}
    status, out, _ = bayplan("rehearse", "--steps", "steps.yaml", steps=steps)

    assert status == 0
    assert "0. apply a" in out
    assert "served by mlserver/1, version 1" in out
    assert "a ModelAvailable" in out
    assert json.loads(bayplan("rehearse", "--steps", "steps.yaml", "-o", "json", steps=steps)[1])["kind"] == "Rehearsal"


WRONG = {
    "steps that are wrong": (
        ["rehearse", "--steps", "steps.yaml"],
        {"steps": {"steps": [{"do": {"tock": {}}}]}},
        "steps[0]",
    ),
    "signals that are wrong": (["scale", "--signals", "signals.yaml"], {"signals": {"packing": "much"}}, "packing"),
}


@pytest.mark.parametrize(("words", "files", "says"), WRONG.values(), ids=WRONG)
def test_problems_are_told_with_their_place(words, files, says, bayplan):
    status, out, err = bayplan(*words, **files)

    assert (status, out) == (1, "")
    assert err.startswith("error: ")
    assert says in err
