"""Who may be a worker: one process for a name, with a token for that name."""

import yaml

from workers.machines import PODS


def test_a_second_worker_of_the_same_folder_is_refused(machines):
    first = machines.worker("w")

    second = machines.worker("w", ready=False)

    assert second.exit_code() == 1
    assert f"a worker with this folder runs already (process {first.process.pid})" in second.errors()
    assert "--name" in second.errors()


def test_a_second_worker_of_the_same_name_is_refused(machines):
    machines.worker("w")

    second = machines.worker("w", "--work-dir", str(machines.folder / "elsewhere"), ready=False)

    assert second.exit_code() == 1
    assert "another worker of this name may be running" in second.errors()
    assert "Traceback" not in second.errors()
    machines.wait_node("True")


def test_a_node_that_is_removed_ends_its_worker(machines):
    worker = machines.worker("w")
    machines.pod("p", "sleep", "1000")
    machines.pid("p")

    machines.ask("DELETE", "/api/v1/nodes/w")

    assert worker.exit_code() == 1
    assert "was removed" in worker.errors()
    machines.wait(lambda: machines.get("p") is None)


def token(machines, name, role="worker"):
    """A kubeconfig with a token."""
    made = machines.ask("POST", "/v1/tokens", {"name": name, "role": role, "namespaces": []})
    config = yaml.safe_load(machines.server.kubeconfig.read_text())
    config["users"][0]["user"]["token"] = made["token"]
    file = machines.folder / f"{name}.kubeconfig"
    file.write_text(yaml.safe_dump(config))
    return str(file)


def test_a_token_for_a_worker_is_enough_to_run_pods_and_to_show_their_logs(machines):
    machines.worker("w", "--kubeconfig", token(machines, "w"))

    machines.pod("p", "sh", "-c", "echo hello; exec sleep 1000")

    machines.wait_ready("p")
    machines.wait(lambda: machines.log("p") == "hello\n")
    machines.ask("DELETE", f"{PODS}/p")
    machines.wait(lambda: machines.get("p") is None)


def test_a_token_for_one_worker_is_none_for_another(machines):
    worker = machines.worker("v", "--kubeconfig", token(machines, "w"), ready=False)

    assert worker.exit_code() == 1
    assert "cannot act as worker 'v'" in worker.errors()


def test_a_token_that_is_not_known_is_told(machines):
    file = token(machines, "w")
    machines.ask("DELETE", "/v1/tokens/w")
    worker = machines.worker("w", "--kubeconfig", file, ready=False)

    assert worker.exit_code() == 1
    assert "send a token" in worker.errors()
