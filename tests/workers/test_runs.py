"""Pods that are bound to a worker run as processes: started, watched, restarted, stopped."""

import json
import sys
from pathlib import Path

from bayplan.manifests.marks import BACKEND, DEVICES, ENDPOINT, ENGINE_ARGS, MODEL
from workers.machines import PODS, REPLICA, lives

BACKENDS = """
apiVersion: bayplan.io/v1alpha1
kind: Backends
backends:
  vllm:
    command: [PYTHON, REPLICA, "{model}", --listen, "{host}:{port}", --tp, "{tp}", "{args}"]
    env: {GREETING: hello}
"""


def test_a_worker_registers_with_cards_and_runs_a_command(machines):
    machines.worker("w", "--gpus", "2xA100-SXM4-80GB", "--label", "team=x")
    node = machines.node()
    cards = {DEVICES: json.dumps([{"runtime": "cuda", "index": 1, "uuid": None}])}

    machines.pod("p", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exec sleep 1000", annotations=cards)
    machines.wait_ready("p")

    assert node["metadata"]["labels"]["team"] == "x"
    assert node["status"]["capacity"]["nvidia.com/gpu"] == "2"
    assert node["status"]["addresses"][0] == {"type": "InternalIP", "address": "127.0.0.1"}
    assert node["status"]["nodeInfo"]["kubeletVersion"].startswith("bayplan-")
    pod = machines.get("p")
    assert pod["status"]["phase"] == "Running"
    assert pod["status"]["podIP"] == "127.0.0.1"
    machines.wait(lambda: machines.log("p") == "1\n")


def test_an_engine_is_started_from_its_template_and_is_ready_when_it_is_healthy(machines):
    templates = machines.folder / "backends.yaml"
    templates.write_text(BACKENDS.replace("PYTHON", sys.executable).replace("REPLICA", str(REPLICA)))
    machines.worker("w", "--backends", str(templates))
    marks = {BACKEND: "vllm", MODEL: "org/model", ENGINE_ARGS: json.dumps(["--tensor-parallel-size=2", "--x=1"])}

    machines.pod("p", annotations=marks, container={"args": ["--port", "8000", "--y"]})
    machines.wait(lambda: machines.log("p"))
    known = json.loads(machines.log("p"))
    assert not machines.is_ready("p")
    (Path(known["folder"]) / "loaded").touch()
    machines.wait_ready("p")

    port = known["environment"]["BAYPLAN_PORT"]
    expected = ["org/model", "--listen", f"127.0.0.1:{port}", "--tp", "2", "--y", "--tensor-parallel-size=2", "--x=1"]
    assert known["arguments"] == expected
    assert known["environment"]["GREETING"] == "hello"
    assert machines.get("p")["metadata"]["annotations"][ENDPOINT] == f"http://127.0.0.1:{port}"


def test_a_replica_that_fails_is_restarted_ever_more_slowly(shared):
    shared.pod("p1", "sh", "-c", "echo run; exit 3")
    shared.wait(lambda: shared.container("p1")["restartCount"] >= 2)
    said = shared.wait_state("p1", "waiting", "CrashLoopBackOff")

    assert "back-off" in said["message"]
    assert shared.container("p1")["lastState"]["terminated"]["exitCode"] == 3
    assert shared.log("p1") == shared.log("p1", "previous=true") == "run\n"
    assert not shared.is_ready("p1")


def test_pods_that_may_end_end_with_the_code_of_their_container(shared):
    shared.pod("good", "true", restartPolicy="OnFailure")
    shared.pod("bad", "sh", "-c", "echo last words; exit 7", restartPolicy="Never")

    assert shared.wait_phase("good", "Succeeded")["status"]["containerStatuses"][0]["restartCount"] == 0
    shared.wait_phase("bad", "Failed")
    word, said = shared.state("bad")
    assert (word, said["exitCode"], said["reason"]) == ("terminated", 7, "Error")
    assert shared.log("bad") == "last words\n"
    assert shared.get("good")["status"]["containerStatuses"][0]["state"]["terminated"]["reason"] == "Completed"


def test_init_containers_run_first_and_one_after_the_other(shared):
    first = [{"name": f"i{n}", "image": "none", "command": ["sh", "-c", f"echo {n}"]} for n in range(2)]

    shared.pod("p3", "true", restartPolicy="Never", initContainers=first)
    pod = shared.wait_phase("p3", "Succeeded")

    ends = [each["state"]["terminated"]["exitCode"] for each in pod["status"]["initContainerStatuses"]]
    assert ends == [0, 0]
    assert shared.log("p3", "container=i1") == "1\n"


def test_a_command_that_is_not_there_is_told_with_the_next_step(shared):
    shared.pod("command", "no-such-command")
    shared.pod("image", container={"image": "example.org/thing:1"})
    shared.pod("backend", annotations={BACKEND: "vlm"})

    said = shared.wait_state("command", "waiting", "CreateContainerError")["message"]
    assert "no-such-command" in said
    assert "install it, or change the command" in said
    said = shared.wait_state("image", "waiting", "CreateContainerConfigError")["message"]
    assert "write a command" in said
    said = shared.wait_state("backend", "waiting", "CreateContainerConfigError")["message"]
    assert "did you mean 'vllm'?" in said
    assert shared.get("command")["status"]["phase"] == "Pending"


def test_a_deleted_pod_is_asked_to_end_and_then_gone(shared):
    shared.pod("p5", "sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done")
    pid = shared.pid("p5")

    shared.ask("DELETE", f"{PODS}/p5")
    shared.wait(lambda: shared.get("p5") is None)

    assert not lives(pid)


def test_a_replica_that_does_not_obey_is_killed_with_all_that_it_started(shared):
    stubborn = "trap '' TERM; (trap '' TERM; exec setsid sleep 1000) & echo $!; while :; do sleep 1; done"
    shared.pod("p6", "sh", "-c", stubborn, terminationGracePeriodSeconds=1)
    pid = shared.pid("p6")
    shared.wait(lambda: shared.log("p6"))
    child = int(shared.log("p6"))
    assert lives(child)

    shared.ask("DELETE", f"{PODS}/p6")
    shared.wait(lambda: shared.get("p6") is None)

    assert not lives(pid)
    assert not lives(child)


def test_a_pod_that_was_removed_by_force_ends_too(shared):
    shared.pod("p7", "sleep", "1000")
    pid = shared.pid("p7")

    shared.ask("DELETE", f"{PODS}/p7", {"gracePeriodSeconds": 0})

    assert shared.get("p7") is None
    shared.wait(lambda: not lives(pid))


def test_a_replica_that_lives_no_more_is_restarted(shared):
    probe = {"exec": {"command": ["test", "-e", "alive"]}, "periodSeconds": 1, "failureThreshold": 1}
    command = "touch alive; echo up; sleep 0.5; rm alive; exec sleep 1000"

    shared.pod("p8", "sh", "-c", command, container={"livenessProbe": probe}, terminationGracePeriodSeconds=1)

    shared.wait(lambda: shared.container("p8")["restartCount"] >= 1)
    assert "liveness probe failed" in shared.container("p8")["lastState"]["terminated"]["message"]


def test_readiness_follows_the_probe(shared):
    probe = {
        "exec": {"command": ["test", "-e", str(shared.folder / "flag")]},
        "periodSeconds": 1,
        "failureThreshold": 1,
    }

    shared.pod("p9", "sleep", "1000", container={"readinessProbe": probe})
    shared.wait_state("p9", "running")
    assert not shared.is_ready("p9")
    (shared.folder / "flag").touch()
    shared.wait_ready("p9")
    (shared.folder / "flag").unlink()
    shared.wait_ready("p9", ready=False)

    assert shared.container("p9")["restartCount"] == 0


def test_a_pod_that_may_not_run_so_long_fails(shared):
    shared.pod("p10", "sleep", "1000", restartPolicy="Never", activeDeadlineSeconds=1)
    pod = shared.wait_phase("p10", "Failed")

    assert pod["status"]["reason"] == "DeadlineExceeded"


def test_a_sidecar_runs_beside_the_container_and_ends_after_it(shared):
    sidecar = {"name": "s", "image": "none", "command": ["sleep", "1000"], "restartPolicy": "Always"}
    waits = "while [ ! -e go ]; do sleep 0.05; done"

    shared.pod("beside", "sh", "-c", waits, restartPolicy="Never", initContainers=[sidecar])
    shared.wait_ready("beside")
    assert shared.get("beside")["status"]["initContainerStatuses"][0]["state"].keys() == {"running"}
    (shared.scratch("beside") / "go").touch()

    pod = shared.wait_phase("beside", "Succeeded")
    shared.wait(lambda: "terminated" in shared.get("beside")["status"]["initContainerStatuses"][0]["state"])
    assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 0
