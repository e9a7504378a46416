"""A real server and real workers, each in a process of its own; what they do is waited for, never timed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

from bayplan_up import RunningServer

LONGEST_S = 60  # whatever takes longer has failed; nothing takes nearly that long
PODS = "/api/v1/namespaces/default/pods"
REPLICA = Path(__file__).parent / "replica.py"

_SCENARIO = "apiVersion: bayplan.io/v1alpha1\nkind: Scenario\nnodes: {}\n"


class Machines:
    """One server whose data stay over restarts, and any number of workers."""

    def __init__(self, folder: Path, **nodes: str) -> None:
        """`nodes` says how patient the server is with workers, as a scenario file does."""
        self.folder = folder
        flags: tuple[str, ...] = ()
        if nodes:
            (folder / "scenario.yaml").write_text(_SCENARIO.format(json.dumps(nodes)))
            flags = ("--simulate", str(folder / "scenario.yaml"))
        self.server = RunningServer(folder / "server", *flags).__enter__()
        self.workers: list[RunningWorker] = []

    def close(self) -> None:
        for each in self.workers:
            each.kill()
        self.server.process.kill()
        self.server.stop()

    def worker(self, name: str = "w", *flags: str, ready: bool = True) -> "RunningWorker":
        started = RunningWorker(self.server.data, name, *flags)
        self.workers.append(started)
        if ready:
            started.wait_ready()
        return started

    def kill_server(self) -> None:
        self.server.process.send_signal(signal.SIGKILL)
        self.server.stop()

    def start_server(self) -> None:
        """Start it again with the same data; its port is another, as its kubeconfig says."""
        self.server = RunningServer(self.server.data).__enter__()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        code, text = self.server.request(method, path, body, **headers)
        assert code < 300, (code, text)
        return json.loads(text)

    def pod(self, name: str, *command: str, node: str = "w", annotations: dict[str, str] | None = None, **spec: Any):
        """A Pod with one container that is bound to a worker at once."""
        container = {"name": "c", "image": "none", "command": list(command)} | spec.pop("container", {})
        if not command:
            del container["command"]
        metadata = {"name": name, "annotations": annotations or {}}
        spec = {"schedulerName": "by-hand", "terminationGracePeriodSeconds": 5, "containers": [container], **spec}
        self.ask("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        self.bind(name, node)
        return name

    def bind(self, name: str, node: str) -> None:
        self.ask("POST", f"{PODS}/{name}/binding", {"metadata": {"name": name}, "target": {"name": node}})

    def get(self, name: str) -> Any:
        """A Pod; None where it is gone."""
        code, text = self.server.request("GET", f"{PODS}/{name}")
        return json.loads(text) if code == 200 else None

    def container(self, name: str) -> Any:
        return self.get(name)["status"]["containerStatuses"][0]

    def state(self, name: str) -> Any:
        """The state of a Pod's container: its word and what is said about it."""
        statuses = (self.get(name) or {}).get("status", {}).get("containerStatuses") or [{"state": {"absent": {}}}]
        return next(iter(statuses[0]["state"].items()))

    def wait_state(self, name: str, word: str, reason: str = "") -> Any:
        """Until the container waits, runs or has ended, for that reason."""
        self.wait(lambda: self.state(name)[0] == word and self.state(name)[1].get("reason", "").startswith(reason))
        return self.state(name)[1]

    def wait_phase(self, name: str, phase: str) -> Any:
        self.wait(lambda: self.get(name)["status"]["phase"] == phase)
        return self.get(name)

    def wait_ready(self, name: str, ready: bool = True) -> None:
        self.wait(lambda: self.is_ready(name) is ready)

    def is_ready(self, name: str) -> bool:
        conditions = self.get(name)["status"].get("conditions", ())
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    def pid(self, name: str) -> int:
        """The process of a Pod's container."""
        self.wait_state(name, "running")
        return int(self.container(name)["containerID"].removeprefix("process://"))

    def log(self, name: str, query: str = "") -> str:
        """What a container wrote; empty where it was not started yet."""
        code, text = self.server.request("GET", f"{PODS}/{name}/log?{query}")
        assert code == 200 or b"waiting to start" in text, (code, text)
        return text.decode() if code == 200 else ""

    def scratch(self, name: str) -> Path:
        """The folder in which the container of a Pod runs."""
        return self.server.data / "workers" / "w" / "pods" / self.get(name)["metadata"]["uid"] / "c" / "work"

    @staticmethod
    def kill(pid: int) -> None:
        os.kill(pid, signal.SIGKILL)

    def node(self, name: str = "w") -> Any:
        return self.ask("GET", f"/api/v1/nodes/{name}")

    def wait_node(self, status: str, name: str = "w") -> None:
        def said() -> Any:
            return [each["status"] for each in self.node(name)["status"]["conditions"] if each["type"] == "Ready"]

        self.wait(lambda: said() == [status])

    def wait(self, happens: Any) -> None:
        """Until something is true."""
        last = None
        for _ in until_the_end():
            try:
                if happens():
                    return
            except (KeyError, TypeError, IndexError) as error:
                last = error
        logs = "\n".join(each.errors() for each in self.workers)
        raise AssertionError(f"it did not happen: {last!r}\n{logs}\n{self.server.errors()}")


class RunningWorker:
    """`bayplan worker` of one name; its folder is in the data of the server."""

    def __init__(self, data: Path, name: str, *flags: str) -> None:
        self.name = name
        command = [sys.executable, "-m", "bayplan", "worker", "--data", str(data), "--name", name]
        command += ["--heartbeat", "0.3", "--backoff", "0.2", *flags]
        self._log = data.parent / f"worker-{name}-{time.monotonic_ns()}.stderr"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BAYPLAN_")}
        with self._log.open("w") as errors:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**environment, "BAYPLAN_DEBUG": "1"}
            )

    def wait_ready(self) -> None:
        line = self.process.stdout.readline()
        assert line == f"ready {self.name}\n", (line, self.errors())

    def errors(self) -> str:
        return self._log.read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it as a user does; its exit code."""
        self.process.send_signal(number)
        return self.exit_code()

    def exit_code(self) -> int:
        code = self.process.wait(LONGEST_S)
        self.process.stdout.close()
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self) -> Self:
        return self


def until_the_end() -> Any:
    """Tries, until too much time has passed."""
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        yield
        time.sleep(0.05)


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not reaped yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
