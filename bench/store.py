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
OTHER = "another"  # the name of a scheduler that is not ours
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
    cpu_us: dict[str, float] = {}
    for name, job, clients, options in _jobs():
        process.settle()
        before = process.cpu_s()
        given = process.clients(job, kind="pods", prefix=name, clients=clients, lasts_s=lasts_s, **options)
        rates[name] = given["number"] / given["seconds"]
        cpu_us[name] = (process.cpu_s() - before) / given["number"] * 1e6
        plain.append(_plain_commits(folder / f"{scheme}-{name}.db", lasts_s / 6))
    baseline = sorted(plain)[len(plain) // 2]
    yield Row(f"store/plain-commits/{scheme}", baseline, "/s")
    for name, rate in rates.items():
        goal = (CREATES_GOAL, ">=") if name in (f"creates-{MANY}", f"kept-creates-{MANY}") else (None, None)
        yield Row(f"store/{scheme}/{name}-clients", rate, "/s", *goal, baseline=baseline)
        if name.endswith(f"-{MANY}"):
            yield Row(f"store/{scheme}/{name}-clients/cpu", cpu_us[name], "us")
    yield Row(
        f"store/{scheme}/creates-{MANY}-of-plain", rates[f"creates-{MANY}"] / baseline, "times", TIMES_PLAIN_GOAL, ">="
    )


def _jobs() -> Iterator[tuple[str, str, int, dict[str, object]]]:
    """Name, job, number of clients and options.

    The server places Pods while it takes in others. The kept ones are another scheduler's: nothing acts on them, and
    their figures are those of the store and its API alone.
    """
    for clients in (1, MANY):
        yield f"creates-{clients}", "create", clients, {}
        yield f"updates-{clients}", "update", clients, {}
    yield f"distinct-creates-{MANY}", "create", MANY, {"distinct": True}
    yield f"kept-creates-{MANY}", "create", MANY, {"scheduler": OTHER}
    yield f"kept-updates-{MANY}", "update", MANY, {"scheduler": OTHER}


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
    """The Pods are another scheduler's, so that all their changes are known to those who count them."""
    process.settle()
    before = process.cpu_s()
    given = process.clients(
        "fan-out", kind="pods", prefix="watched", clients=MANY, watchers=WATCHERS, lasts_s=lasts_s, scheduler=OTHER
    )
    cpu_us = (process.cpu_s() - before) * 1e6
    yield Row(f"store/{scheme}/watch-{WATCHERS}/events", given["delivered"] / given["seconds"], "/s")
    name = f"store/{scheme}/watch-{WATCHERS}/cpu-per-event"
    yield Row(name, cpu_us / given["delivered"], "us", WATCH_GOAL_US, "<=")


def _lists(process: ServerProcess, nodes: int) -> Iterator[Row]:
    process.clients("create", kind="nodes", prefix="node", clients=2 * MANY, most=nodes)
    process.settle()
    for form, headers in (("objects", ""), ("table", TABLE)):
        given = process.clients("list", path="/api/v1/nodes", headers=headers, rounds=5)
        yield Row(f"store/list-{nodes}-nodes/{form}", given["seconds"], "s", LIST_GOAL_S, "<=")
        yield Row(f"store/list-{nodes}-nodes/{form}/others-wait", given["longest_s"] * 1e3, "ms")


def _memory(process: ServerProcess, nodes: int, objects: int) -> Iterator[Row]:
    """Of objects that are kept: Pods that are placed get bookings, Events and records besides."""
    process.clients("create", kind="pods", prefix="pod", clients=4 * MANY, most=objects - nodes, scheduler=OTHER)
    process.settle()
    yield Row(f"store/memory-{objects}-objects", process.memory_mib(), "MiB", MEMORY_GOAL_MIB, "<=")
    yield Row(f"store/memory-{objects}-objects/peak", process.memory_mib("VmHWM"), "MiB")
