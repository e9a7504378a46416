"""What simulated engines cost: memory and CPU of real processes, many on one core, and requests in virtual time."""

from __future__ import annotations

import asyncio
import heapq
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bayplan.sim.engine.batching.sequence import Sequence
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.engine.chance import Chance
from bench.measure import Row, cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LASTS_S = 10.0
PROCESSES = 20
TOKENS = 50
STREAMS = 32
REQUESTS = 20_000
ENGINES = 32

MEMORY_GOAL_MIB = 35
IDLE_GOAL_MS_PER_S = 1
CORE_GOAL = 0.5
REPLAY_GOAL_US = 150
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def rows(
    say: Callable[[str], None], lasts_s: float = LASTS_S, processes: int = PROCESSES, requests: int = REQUESTS
) -> Iterator[Row]:
    """One process, then many that share a core at one request a second each, then the model alone."""
    with engine() as one:
        time.sleep(lasts_s / 5)
        before = one.cpu_s()
        time.sleep(lasts_s / 2)
        yield Row("engine/idle/cpu", (one.cpu_s() - before) / (lasts_s / 2) * 1e3, "ms/s", IDLE_GOAL_MS_PER_S, "<=")
        yield Row("engine/idle/memory", one.memory_mib(), "MiB", MEMORY_GOAL_MIB, "<=")
        for streams in (1, STREAMS):
            before = one.cpu_s()
            tokens, _ = asyncio.run(_closed_loop(one.port, streams, lasts_s / 2))
            yield Row(f"engine/streams-{streams}/cpu-per-1000-tokens", (one.cpu_s() - before) / tokens * 1e6, "ms")
        yield Row("engine/served/memory", one.memory_mib(), "MiB", MEMORY_GOAL_MIB, "<=")
    say(f"starting {processes} processes on one core")
    yield from _crowd(processes, lasts_s)
    yield _replay(requests)


def _crowd(processes: int, lasts_s: float) -> Iterator[Row]:
    """CPU of all of them at light load, and how late their tokens are."""
    with ExitStack() as stack:
        crowd = [stack.enter_context(engine("--seed", str(seed))) for seed in range(processes)]
        for each in crowd:
            os.sched_setaffinity(each.pid, {min(os.sched_getaffinity(0))})
        before = sum(each.cpu_s() for each in crowd)
        begin = time.perf_counter()
        gaps_s = asyncio.run(_open_loop([each.port for each in crowd], lasts_s))
        seconds = time.perf_counter() - begin
        share = (sum(each.cpu_s() for each in crowd) - before) / seconds
        name = f"engine/{processes}-on-one-core"
        yield Row(f"{name}/cores", share, "cores", CORE_GOAL, "<=")
        yield Row(f"{name}/answers", len(gaps_s) / seconds, "/s")
        ideal_s = PROFILES["8b"].timing.base_s
        late = sorted(gap / ideal_s for gap in gaps_s)
        yield Row(f"{name}/time-per-token-p99", late[int(len(late) * 0.99)], "of the model's")
        yield Row(f"{name}/memory-each", max(each.memory_mib() for each in crowd), "MiB", MEMORY_GOAL_MIB, "<=")


def _replay(requests: int) -> Row:
    """CPU of the model for each request, in virtual time: conversations of a few thousand tokens on many engines."""
    chance, timing = Chance(1), PROFILES["70b"].timing
    work, now_s = [], 0.0
    for number in range(requests):
        now_s += chance.number() % 1_000 * 1e-4
        tokens, document = 500 + chance.number() % 12_000, chance.number() % 400
        blocks = [(document if index < 4 else number, index) for index in range(tokens // 512)]
        work.append((now_s, tokens, 1 + chance.number() % 600, blocks))
    engines = [SimulatedEngine(Limits(2_660, 512, 2_048, 256), timing) for _ in range(ENGINES)]

    def replay() -> None:
        due: list[tuple[float, int]] = []
        next_s: list[float | None] = [None] * ENGINES  # what is due at another time was put off

        def advance(now_s: float, which: int) -> None:
            engines[which].advance(now_s)
            look(which)

        def look(which: int) -> None:
            at_s = next_s[which] = engines[which].next_event_s()
            if at_s is not None:
                heapq.heappush(due, (at_s, which))

        for index, (arrival_s, tokens, output, blocks) in enumerate([*work, (float("inf"), 0, 0, [])]):
            while due and due[0][0] <= arrival_s:
                at_s, which = heapq.heappop(due)
                if at_s == next_s[which]:
                    advance(at_s, which)
            if tokens:
                engines[index % ENGINES].advance(arrival_s)
                engines[index % ENGINES].submit(Sequence(tokens, output, blocks), arrival_s)
                look(index % ENGINES)

    seconds = cpu_seconds(replay)
    assert all(not each.running and not each.waiting for each in engines)
    return Row(f"engine/replay-{ENGINES}/cpu-per-request", seconds / requests * 1e6, "us", REPLAY_GOAL_US, "<=")


async def _closed_loop(port: int, streams: int, lasts_s: float) -> tuple[int, list[float]]:
    """Streams one after the other on each connection; the tokens and the mean gap of each answer."""
    until = time.perf_counter() + lasts_s
    gaps: list[float] = []

    async def client() -> None:
        while time.perf_counter() < until:
            gaps.append(await _stream(port, 4 * TOKENS))

    await asyncio.gather(*(client() for _ in range(streams)))
    return len(gaps) * 4 * TOKENS, gaps


async def _open_loop(ports: list[int], lasts_s: float) -> list[float]:
    """One answer of TOKENS tokens a second from each engine."""

    async def client(port: int, delay_s: float) -> list[float]:
        await asyncio.sleep(delay_s)
        asked = [asyncio.create_task(_later(port, number)) for number in range(max(1, int(lasts_s)))]
        return await asyncio.gather(*asked)

    found = await asyncio.gather(*(client(port, index / len(ports)) for index, port in enumerate(ports)))
    return [gap for each in found for gap in each]


async def _later(port: int, delay_s: float) -> float:
    await asyncio.sleep(delay_s)
    return await _stream(port, TOKENS)


async def _stream(port: int, tokens: int) -> float:
    """One streamed chat; the mean time between its tokens."""
    body = b'{"messages":[{"role":"user","content":"%b"}],"max_tokens":%d,"stream":true}' % (b"word " * 100, tokens)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
    first = last = 0.0
    seen = b""
    while not seen.endswith(b"0\r\n\r\n"):
        data = await reader.read(65_536)
        if not data:
            raise RuntimeError("the engine closed the connection")
        last = time.perf_counter()
        first = first or (last if b'"content":" ' in data else 0.0)
        seen = (seen + data)[-16:]
    writer.close()
    return (last - first) / max(1, tokens - 1)


@dataclass(frozen=True, slots=True)
class EngineProcess:
    """Where it answers, and what it uses of the machine."""

    port: int
    pid: int

    def cpu_s(self) -> float:
        """CPU seconds so far; the scheduler's own count, because ticks of 10 ms are too coarse for an idle process."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text(encoding="utf-8").split()[0]) * 1e-9

    def memory_mib(self) -> float:
        for line in Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise AssertionError(f"no VmRSS in the status of process {self.pid}")


@contextmanager
def engine(*flags: str) -> Iterator[EngineProcess]:
    """A real `bayplan engine` as users start it; it is stopped at the end."""
    command = [sys.executable, "-m", "bayplan", "engine", "--model", "bench", "--port", "0", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("ready "):
                yield EngineProcess(int(line.rsplit(":", 1)[1]), process.pid)
                return
        raise RuntimeError("bayplan engine ended before it was ready")
    finally:
        process.terminate()
        process.communicate()
