"""What the guard of the API costs each request, and what hostile bodies cost the server that refuses them."""

from __future__ import annotations

import asyncio
import http.client
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.unit.manifests.hostile import CASES

from bayplan.api.access.guard import Guard
from bayplan.api.access.limits import Limits
from bayplan.api.access.tokens import Tokens
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measure import Work

ROUNDS = 5
CALLS = 20_000
GUARD_GOAL_US = 15
HOSTILE_GOAL_MS = 250
HOSTILE_GOAL_MIB = 64
MIB = 1024 * 1024
HEADERS = [(b"host", b"127.0.0.1:7077"), (b"user-agent", b"kubectl/v1.32.0"), (b"accept", b"application/json")]
MAPS = "/api/v1/namespaces/default/configmaps"


def rows(say: Callable[[str], None]) -> list[Row]:
    """The guard by itself, a GET through a real server, and the dearest hostile body in time and in memory."""
    with _server() as (process, port):
        return [_guard(), *_gets(process, port), *_hostile(process, port, say)]


def _guard() -> Row:
    """CPU of the guard with a token, next to the application alone."""
    tokens, text = asyncio.run(_tokens())
    guard = Guard(_nothing, ["127.0.0.1"], tokens, Limits(requests_per_s=1e9))
    found = interleaved({"guarded": lambda: _calls(guard, text), "alone": lambda: _calls(_nothing, text)}, ROUNDS)
    each_us = (found["guarded"] - found["alone"]) / CALLS * 1e6
    return Row("access/guard/cpu-per-request", each_us, "us", GUARD_GOAL_US, "<=")


async def _tokens() -> tuple[Tokens, str]:
    async with EmbeddedStore(MemoryShelf()) as store:
        tokens = Tokens(store)
        return tokens, await tokens.create("bench", "admin")


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    return None


def _calls(app: Any, token: str) -> Work:
    headers = [*HEADERS, (b"authorization", f"Bearer {token}".encode())]

    async def ask() -> None:
        for _ in range(CALLS):
            scope = {"type": "http", "path": MAPS, "headers": headers, "state": {}, "server": ("127.0.0.1", 7077)}
            await app(scope, None, None)

    return lambda: asyncio.run(ask())


def _gets(process: int, port: int) -> list[Row]:
    """Requests for one small object, over one connection from this process."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    best_cpu, best_rate, count = float("inf"), 0.0, 1_000
    for _ in range(ROUNDS):
        before, begin = _cpu_s(process), time.monotonic()
        for _ in range(count):
            connection.request("GET", "/api/v1/namespaces/default")
            connection.getresponse().read()
        best_rate = max(best_rate, count / (time.monotonic() - begin))
        best_cpu = min(best_cpu, (_cpu_s(process) - before) / count)
    connection.close()
    return [
        Row("access/get/requests-per-s", best_rate, "1/s"),
        Row("access/get/server-cpu", best_cpu * 1e6, "us"),
    ]


def _hostile(process: int, port: int, say: Callable[[str], None]) -> list[Row]:
    """CPU rather than time, because other work on the machine is not the server's.

    Memory is counted twice: what each body adds when it first comes, and the peak of all above an idle server.
    """
    for media in ("json", "yaml"):
        _ask_ms(process, port, b'{"metadata": 5}', media)
    idle_mib = highest_mib = _memory_mib(process, "VmRSS:")
    slowest_ms = largest_mib = 0.0
    for name, (make, _, _) in CASES.items():
        text = make()
        body = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        if len(body) > MIB:
            continue
        for media in ("json", "yaml"):
            before_mib = _begin_peak(process)
            _ask_ms(process, port, body, media)
            peak_mib = _memory_mib(process, "VmHWM:")
            highest_mib, largest_mib = max(highest_mib, peak_mib), max(largest_mib, peak_mib - before_mib)
            took_ms = min(_ask_ms(process, port, body, media) for _ in range(2))
            if took_ms > HOSTILE_GOAL_MS:
                say(f"{name}, {media}: {took_ms:.0f} ms")
            slowest_ms = max(slowest_ms, took_ms)
    return [
        Row("access/hostile/slowest", slowest_ms, "ms", HOSTILE_GOAL_MS, "<="),
        Row("access/hostile/memory-of-one", largest_mib, "MiB", HOSTILE_GOAL_MIB, "<="),
        Row("access/hostile/memory-of-all", highest_mib - idle_mib, "MiB"),
    ]


def _ask_ms(process: int, port: int, body: bytes, media: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    before = _cpu_s(process)
    connection.request("POST", MAPS, body, {"Content-Type": f"application/{media}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if not 400 <= answer.status < 500:
        raise AssertionError(f"a hostile body was answered with {answer.status}")
    return (_cpu_s(process) - before) * 1e3


@contextmanager
def _server() -> Iterator[tuple[int, int]]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bayplan", "up", "--data", folder, "--port", "0", "--insecure-http"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            lines = iter(process.stdout or ())
            ready = next(line for line in lines if line.startswith("ready "))
            yield process.pid, int(ready.rsplit(":", 1)[1])
        finally:
            process.terminate()
            process.wait()


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _begin_peak(process: int) -> float:
    """Forget the peak so far, and say what is used now; 5 is Linux's word for that."""
    Path(f"/proc/{process}/clear_refs").write_text("5", encoding="ascii")
    return _memory_mib(process, "VmRSS:")


def _memory_mib(process: int, field: str) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.partition(field)[2].split()[0]) / 1024
