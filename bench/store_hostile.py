"""How long the server takes to answer bodies and queries that are made to cost much: the worst of those ≤ 1 MiB."""

from __future__ import annotations

import http.client
import ssl
import time
from typing import TYPE_CHECKING

import orjson
from tests.unit.manifests.hostile import CASES

from bench.measure import Row
from bench.store_objects import pod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.store_server import ServerProcess

    Case = tuple[str, str, str, bytes]  # method, path, media type, body

GOAL_MS = 250
ROUNDS = 3
MIB = 1024 * 1024
PODS = "/api/v1/namespaces/default/pods"
POOLS = "/apis/neuronetes.io/v1alpha1/namespaces/default/agentpools"
TARGET = f"{PODS}/hostile"
_LONGEST_QUERY = 60_000  # the HTTP parser takes no longer line


def hostile_rows(process: ServerProcess) -> Iterator[Row]:
    """The worst answer, with the case in its name; an answer of 5xx ends the benchmark."""
    connection = _connect(process)
    _ask(connection, process, ("POST", PODS, "application/json", orjson.dumps(pod("hostile"))))
    took: dict[str, float] = {}
    for name, case in _cases().items():
        seconds = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            code = _ask(connection, process, case)
            seconds.append(time.perf_counter() - begin)
            if code >= 500:
                raise AssertionError(f"{name}: answered {code}")
        took[name] = min(seconds)
    connection.close()
    worst = sorted(took, key=lambda name: -took[name])
    yield Row("store/hostile/worst-answer", took[worst[0]] * 1e3, "ms", GOAL_MS, "<=")
    for name in worst[:3]:
        yield Row(f"store/hostile/{name.replace(' ', '-')}", took[name] * 1e3, "ms")


def _connect(process: ServerProcess) -> http.client.HTTPConnection:
    if not process.tls:
        return http.client.HTTPConnection("127.0.0.1", process.port, timeout=60)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection("127.0.0.1", process.port, timeout=60, context=context)


def _ask(connection: http.client.HTTPConnection, process: ServerProcess, case: Case) -> int:
    method, path, media, data = case
    headers = {"Content-Type": media} | ({"Authorization": f"Bearer {process.token}"} if process.tls else {})
    connection.request(method, path, data or None, headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def _cases() -> dict[str, Case]:
    """Texts that readers have trouble with as bodies of several requests, then what stays just below all limits."""
    found: dict[str, Case] = {}
    for name, (make, _, _) in CASES.items():
        text = make()
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        if len(data) > MIB:
            continue
        media = "application/json" if name.startswith("json") else "application/yaml"
        found[f"create {name}"] = ("POST", PODS, media, data)
        if name.startswith("json"):
            found[f"merge {name}"] = ("PATCH", TARGET, "application/merge-patch+json", data)
            found[f"json-patch {name}"] = ("PATCH", TARGET, "application/json-patch+json", data)
        else:
            found[f"apply {name}"] = ("PATCH", f"{TARGET}?fieldManager=x", "application/apply-patch+yaml", data)
    return found | _large_objects() | _patches() | _queries()


def _large_objects() -> dict[str, Case]:
    def made(change: Callable[[dict[str, object]], object]) -> bytes:
        document = pod("hostile-large")
        change(document)
        return orjson.dumps(document)

    large = {
        "labels": made(lambda it: it["metadata"].update(labels={f"k{i}": "v" for i in range(24_000)})),  # type: ignore[attr-defined]
        "bad labels": made(lambda it: it["metadata"].update(labels={f"k{i} ": "v " for i in range(24_000)})),  # type: ignore[attr-defined]
        "unknown fields": made(lambda it: it["spec"].update({f"field{i}": 1 for i in range(24_000)})),  # type: ignore[attr-defined]
        "containers": made(lambda it: it["spec"].update(containers=[{"name": f"c{i}"} for i in range(3_999)])),  # type: ignore[attr-defined]
        "empty containers": made(lambda it: it["spec"].update(containers=[{}] * 3_999)),  # type: ignore[attr-defined]
        "too many containers": made(lambda it: it["spec"].update(containers=[{}] * 49_000)),  # type: ignore[attr-defined]
        "finalizers": made(lambda it: it["metadata"].update(finalizers=[f"a.io/{i}" for i in range(45_000)])),  # type: ignore[attr-defined]
        "a long label": made(lambda it: it["metadata"].update(labels={"a" * 500_000 + "!": "b-" * 200_000})),  # type: ignore[attr-defined]
        "a long name": made(lambda it: it["metadata"].update(name="a." * 500_000)),  # type: ignore[attr-defined]
    }
    cases = {f"create {name}": ("POST", f"{PODS}?dryRun=All", "application/json", data) for name, data in large.items()}
    pool = {"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool", "metadata": {"name": "hostile"}}
    spec = {f"field{i}": {"a": [1, "x"]} for i in range(8_000)}
    cases["create pool"] = ("POST", f"{POOLS}?dryRun=All", "application/json", orjson.dumps({**pool, "spec": spec}))
    apply = ("PATCH", f"{PODS}/applied?fieldManager=x&dryRun=All", "application/apply-patch+yaml")
    cases |= {f"apply {name}": (*apply, data.replace(b"hostile-large", b"applied")) for name, data in large.items()}
    return cases


def _patches() -> dict[str, Case]:
    add = [{"op": "add", "path": f"/metadata/labels/k{i}", "value": "v"} for i in range(7_000)]
    copies = [{"op": "copy", "from": "/metadata", "path": f"/spec/x{i}"} for i in range(60)]
    deep = [{"op": "add", "path": "/spec" + "/a" * 100_000, "value": 1}]
    inserts = [{"op": "add", "path": "/spec/containers/0", "value": {"name": f"c{i}"}} for i in range(6_000)]
    strategic = {"spec": {"containers": [{"name": f"c{i}", "image": "x"} for i in range(3_900)]}}
    removed = {"spec": {"containers": [{"name": f"c{i}", "$patch": "delete"} for i in range(3_900)]}}
    merged = {"metadata": {"annotations": {f"a{i}": None for i in range(24_000)}}}
    json_patch, url = "application/json-patch+json", f"{TARGET}?dryRun=All"
    strategic_patch = "application/strategic-merge-patch+json"
    return {
        "json-patch adds": ("PATCH", url, json_patch, orjson.dumps(add)),
        "json-patch copies": ("PATCH", url, json_patch, orjson.dumps(copies)),
        "json-patch deep path": ("PATCH", url, json_patch, orjson.dumps(deep)),
        "json-patch inserts": ("PATCH", url, json_patch, orjson.dumps(inserts)),
        "strategic containers": ("PATCH", url, strategic_patch, orjson.dumps(strategic)),
        "strategic removals": ("PATCH", url, strategic_patch, orjson.dumps(removed)),
        "merge nulls": ("PATCH", url, "application/merge-patch+json", orjson.dumps(merged)),
    }


def _queries() -> dict[str, Case]:
    selectors = {
        "many terms": ",".join(f"k{i}=v" for i in range(8_000)),
        "a long set": f"app+in+({','.join(f'v{i}' for i in range(8_000))})",
        "brackets": "(" * 50_000,
        "commas": "," * 50_000,
    }
    cases = {
        f"list selected by {name}": ("GET", f"{PODS}?limit=1&labelSelector={text[:_LONGEST_QUERY]}", "", b"")
        for name, text in selectors.items()
    }
    cases["list with a long continue"] = ("GET", f"{PODS}?continue={'A' * 50_000}", "", b"")
    return cases
