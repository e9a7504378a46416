"""What the durable store gives through its API: a real server, clients in another process, plain SQLite beside it."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import Row
from bench.store_hostile import hostile_rows
from bench.store_objects import body
from bench.store_server import server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.store_server import ServerProcess

LASTS_S = 3.0
NODES = 5_000
OBJECTS = 50_000
WATCHERS = 100
MANY = 16
TABLE = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n"

CREATES_GOAL = 3_000
TIMES_PLAIN_GOAL = 5
LIST_GOAL_S = 0.5
WATCH_GOAL_US = 25
MEMORY_GOAL_MIB = 400


def rows(
    say: Callable[[str], None], lasts_s: float = LASTS_S, nodes: int = NODES, objects: int = OBJECTS
) -> Iterator[Row]:
    """Writes over https and http, a list, watchers, memory, and answers to hostile bodies."""
    with tempfile.TemporaryDirectory(prefix="bayplan-bench-") as name:
        folder = Path(name)
        for scheme in ("https", "http"):
            with server(folder / scheme, tls=scheme == "https") as process:
                yield from _writes(process, scheme, folder, lasts_s)
                yield from _watches(process, scheme, lasts_s)
        with server(folder / "large", tls=True) as process:
            say(f"creating {nodes:,} nodes and {objects:,} objects in all")
            yield from _lists(process, nodes)
            yield from _memory(process, nodes, objects)
            yield from hostile_rows(process)


def _writes(process: ServerProcess, scheme: str, folder: Path, lasts_s: float) -> Iterator[Row]:
    """Plain commits are measured before and after, because a disk is not always equally fast."""
    plain = [_plain_commits(folder / f"{scheme}-before.db", lasts_s / 3)]
    rates: dict[str, float] = {}
    for clients in (1, MANY):
        for job, verb in (("create", "creates"), ("update", "updates")):
            prefix = f"{job}-{clients}"
            given = process.clients(job, kind="pods", prefix=prefix, clients=clients, lasts_s=lasts_s)
            rates[f"{verb}-{clients}"] = given["number"] / given["seconds"]
            plain.append(_plain_commits(folder / f"{scheme}-{prefix}.db", lasts_s / 6))
    given = process.clients("create", kind="pods", prefix="distinct", clients=MANY, lasts_s=lasts_s, distinct=True)
    rates[f"distinct-creates-{MANY}"] = given["number"] / given["seconds"]
    baseline = sorted(plain)[len(plain) // 2]
    yield Row(f"store/plain-commits/{scheme}", baseline, "/s")
    many = rates[f"creates-{MANY}"]
    for name, rate in rates.items():
        goal = (CREATES_GOAL, ">=") if name == f"creates-{MANY}" else (None, None)
        yield Row(f"store/{scheme}/{name}-clients", rate, "/s", *goal, baseline=baseline)
    yield Row(f"store/{scheme}/creates-{MANY}-of-plain", many / baseline, "times", TIMES_PLAIN_GOAL, ">=")


def _plain_commits(path: Path, lasts_s: float) -> float:
    """The same bytes by one INSERT and one commit each, as durable; the rate."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE objects (name TEXT PRIMARY KEY, object BLOB)")
    text = body("pods", "plain")
    number, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < lasts_s:
        connection.execute("INSERT INTO objects VALUES (?, ?)", (f"plain-{number}", text))
        number += 1
    seconds = time.perf_counter() - begin
    connection.close()
    return number / seconds


def _watches(process: ServerProcess, scheme: str, lasts_s: float) -> Iterator[Row]:
    before = process.cpu_s()
    given = process.clients("fan-out", kind="pods", prefix="watched", clients=MANY, watchers=WATCHERS, lasts_s=lasts_s)
    cpu_us = (process.cpu_s() - before) * 1e6
    yield Row(f"store/{scheme}/watch-{WATCHERS}/events", given["delivered"] / given["seconds"], "/s")
    name = f"store/{scheme}/watch-{WATCHERS}/cpu-per-event"
    yield Row(name, cpu_us / given["delivered"], "us", WATCH_GOAL_US, "<=")


def _lists(process: ServerProcess, nodes: int) -> Iterator[Row]:
    process.clients("create", kind="nodes", prefix="node", clients=2 * MANY, most=nodes)
    for form, headers in (("objects", ""), ("table", TABLE)):
        given = process.clients("list", path="/api/v1/nodes", headers=headers, rounds=5)
        yield Row(f"store/list-{nodes}-nodes/{form}", given["seconds"], "s", LIST_GOAL_S, "<=")
        yield Row(f"store/list-{nodes}-nodes/{form}/others-wait", given["longest_s"] * 1e3, "ms")


def _memory(process: ServerProcess, nodes: int, objects: int) -> Iterator[Row]:
    process.clients("create", kind="pods", prefix="pod", clients=4 * MANY, most=objects - nodes)
    yield Row(f"store/memory-{objects}-objects", process.memory_mib(), "MiB", MEMORY_GOAL_MIB, "<=")
    yield Row(f"store/memory-{objects}-objects/peak", process.memory_mib("VmHWM"), "MiB")
