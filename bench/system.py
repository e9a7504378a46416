"""The running system: a real server with 5,000 workers and its durable store; Pods that a pool makes become bound."""

from __future__ import annotations

import http.client
import json
import re
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.reader import Document
from bench import soak
from bench.measure import Row
from bench.store_server import server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.store_server import ServerProcess

WORKERS = 5_000
REPLICAS = 8_000
ROUNDS = 3
CHANGES = 200
SINGLES = 1_000
BOUND_GOAL = 1_000
DECISION_GOAL_MS = 5.0
CHANGE_GOAL_MS = 5.0
MEMORY_GOAL_MIB = 500
_PATIENCE_S = 180.0
_PODS, _NODES = "/api/v1/pods", "/api/v1/nodes"
_WORKLOADS = "/apis/bayplan.io/v1alpha1/namespaces/default/workloads"


def rows(
    say: Callable[[str], None], workers: int = WORKERS, replicas: int = REPLICAS, rounds: int = ROUNDS
) -> Iterator[Row]:
    """Bound Pods a second, decisions, changes of workers, and memory."""
    with tempfile.TemporaryDirectory(prefix="bayplan-bench-") as name, server(Path(name), tls=False) as process:
        with closing(_Client(process)) as client:
            say(f"creating {workers:,} Nodes")
            for node in _nodes(workers):
                client.call("POST", _NODES, node)
            yield from _pools(client, process, workers, replicas, rounds)
            yield from _singles(client, workers)
            yield from _changes(client, process, workers)
        yield Row(f"system/memory/{workers}", process.memory_mib("VmHWM"), "MiB", MEMORY_GOAL_MIB, "<=")
    say("one virtual day")
    yield from soak.rows()


def _pools(client: _Client, process: ServerProcess, workers: int, replicas: int, rounds: int) -> Iterator[Row]:
    """Pods of a pool: from the commit of the first pending one to the commit of the last bound one, by its watch."""
    rates, cpu = [], []
    for number in range(rounds):
        before = process.cpu_s()
        seconds = client.bound_in(f"pool-{number}", replicas)
        rates.append(replicas / seconds)
        cpu.append((process.cpu_s() - before) / replicas * 1e6)
        client.delete(f"pool-{number}")
    middle = sorted(rates)[len(rates) // 2]
    yield Row(f"system/bound/{workers}", middle, "pods/s", BOUND_GOAL, ">=")
    yield Row(f"system/bound/{workers}/cpu", sorted(cpu)[len(cpu) // 2], "us/pod")


def _singles(client: _Client, workers: int) -> Iterator[Row]:
    """Decisions about one Pod each, from the server's own histogram: the time to decide, without the commit."""
    before = client.buckets()
    for number in range(SINGLES):
        client.call("POST", "/api/v1/namespaces/default/pods", _pod(f"single-{number}", number % 8 + 1))
    client.wait_until_bound("single-", SINGLES)
    yield Row(
        f"system/decision/{workers}/p99", 1e3 * _quantile(before, client.buckets(), 0.99), "ms", DECISION_GOAL_MS, "<="
    )
    yield Row(f"system/decision/{workers}/p50", 1e3 * _quantile(before, client.buckets(), 0.5), "ms")


def _changes(client: _Client, process: ServerProcess, workers: int) -> Iterator[Row]:
    """CPU time of the server for one change of a worker, request and commit included; and for a worker that goes.

    It begins and ends with an idle server: Pods of deleted pools must not count, and all that a change sets off must.
    """
    process.settle()
    for name, change in (
        ("label", lambda number: {"metadata": {"labels": {"changed": str(number)}}}),
        ("cordon", lambda number: {"spec": {"unschedulable": number % 2 == 0 or None}}),
    ):
        before = process.cpu_s()
        for number in range(CHANGES):
            client.call("PATCH", f"{_NODES}/w-7", change(number), "application/merge-patch+json")
        process.settle()
        taken = (process.cpu_s() - before) / CHANGES * 1e3
        yield Row(f"system/worker-changes/{name}/{workers}", taken, "ms", CHANGE_GOAL_MS, "<=")
    node = next(iter(_nodes(1)))
    before = process.cpu_s()
    for number in range(CHANGES // 2):
        node["metadata"]["name"] = f"guest-{number}"
        client.call("POST", _NODES, node)
        client.call("DELETE", f"{_NODES}/guest-{number}")
    process.settle()
    taken = (process.cpu_s() - before) / CHANGES * 1e3
    yield Row(f"system/worker-changes/come-and-go/{workers}", taken, "ms", CHANGE_GOAL_MS, "<=")


class _Client:
    """One connection for requests, and one for each watch."""

    def __init__(self, process: ServerProcess) -> None:
        self._port = process.port
        self._connection = self._open()

    def close(self) -> None:
        self._connection.close()

    def _open(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE_S)

    def call(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> dict[str, Any]:
        text = None if body is None else json.dumps(body)
        self._connection.request(method, path, text, {"Content-Type": content_type})
        answer = self._connection.getresponse()
        data = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:500]!r}")
        found: dict[str, Any] = json.loads(data)
        return found

    def bound_in(self, name: str, replicas: int) -> float:
        """Create a pool; seconds from its first Pod to the last one that is bound, as a watcher sees the commits."""
        revision = self.call("GET", f"{_PODS}?limit=1")["metadata"]["resourceVersion"]
        watch = self._open()
        watch.request("GET", f"{_PODS}?watch=true&resourceVersion={revision}&labelSelector=bayplan.io/workload={name}")
        answer = watch.getresponse()
        self.call("POST", _WORKLOADS, _workload(name, replicas))
        begun, until = 0.0, time.perf_counter() + _PATIENCE_S
        bound: set[str] = set()
        for line in answer:
            begun = begun or time.perf_counter()
            if b'"nodeName"' in line:
                bound.add(orjson.loads(line)["object"]["metadata"]["name"])
                if len(bound) == replicas:
                    break
            if time.perf_counter() > until:
                raise RuntimeError(f"only {len(bound):,} of {replicas:,} Pods were bound in {_PATIENCE_S:g} s")
        ended = time.perf_counter()
        answer.close()
        watch.close()
        return ended - begun

    def delete(self, name: str) -> None:
        """Delete a pool, and wait until its Pods are gone."""
        self.call("DELETE", f"{_WORKLOADS}/{name}")
        until = time.perf_counter() + _PATIENCE_S
        while self.call("GET", f"{_PODS}?limit=1&labelSelector=bayplan.io/workload={name}")["items"]:
            if time.perf_counter() > until:
                raise RuntimeError(f"the Pods of {name} are still there")
            time.sleep(0.2)

    def wait_until_bound(self, prefix: str, number: int) -> None:
        until = time.perf_counter() + _PATIENCE_S
        while time.perf_counter() < until:
            items = self.call("GET", _PODS)["items"]
            found = [each for each in items if each["metadata"]["name"].startswith(prefix)]
            if sum("nodeName" in each["spec"] for each in found) >= number:
                return
            time.sleep(0.2)
        raise RuntimeError(f"the Pods {prefix}… are not bound")

    def buckets(self) -> dict[float, float]:
        """The histogram of the phase `plan`, cumulated by its upper bounds."""
        self._connection.request("GET", "/metrics")
        text = self._connection.getresponse().read().decode()
        found = re.findall(
            r'bayplan_decision_phase_seconds_bucket\{(?=[^}]*phase="plan")[^}]*le="([^"]+)"[^}]*\} (\S+)', text
        )
        return {float(bound.replace("+Inf", "inf")): float(count) for bound, count in found}


def _quantile(before: dict[float, float], after: dict[float, float], part: float) -> float:
    """The upper bound of the bucket in which the quantile lies."""
    counts = {bound: after[bound] - before.get(bound, 0.0) for bound in sorted(after)}
    whole = max(counts.values())
    return next(bound for bound, count in counts.items() if count >= part * whole)


def _nodes(number: int) -> Iterator[dict[str, Any]]:
    """Workers with eight cards, in racks of 32."""
    cards = {"count": 8, "model": "H100-SXM5-80GB", "memory": "80Gi"}
    workers = [
        {"name": f"w-{each}", "cpu": 192, "ram": "2Ti", "gpus": cards, "links": "nvswitch", "rack": f"r-{each // 32}"}
        for each in range(number)
    ]
    for worker in read_inventory([Document({"workers": workers}, "bench")]).cluster.workers:
        yield node_document(worker, "none")


def _workload(name: str, replicas: int) -> dict[str, Any]:
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "gpus": {"count": 1}, "cpu": 4, "ram": "16Gi"},
    }


def _pod(name: str, gpus: int) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": gpus, "cpu": "4"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"schedulerName": "bayplan", "containers": [container]},
    }
