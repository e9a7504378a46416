"""Our data planes beside Envoy and other people's routers: throughput, CPU of a request and of a chunk, latency."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.gateways import peers
from bench.gateways.backends import plain_engines, streaming_engines
from bench.gateways.load import latencies, streams, wrk
from bench.measure import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.gateways.peers import Gateway

ROUNDS = 3
LASTS_S = 3.0
SHORT_BYTES, LONG_BYTES = 400, 16_000
STREAMS = 100

OF_ENVOY_GOAL = 0.65
OF_VLLM_CPU_GOAL = 1.1
OF_SGLANG_CPU_GOAL = 1.0
CHUNK_GOAL_US = 45
ADDED_GOAL_MS = 0.5
PICKER_GOAL_US = {SHORT_BYTES: 150, LONG_BYTES: 300}
EXT_PROC_GOAL = {"streamed": 0.45, "full-duplex": 0.33}

RELAY, ENVOY, VLLM, SGLANG, LITELLM = "relay", "envoy-round-robin", "vllm-router", "sglang-router", "litellm"
STREAMED, DUPLEX = "ext-proc-streamed", "ext-proc-full-duplex"
GATEWAYS: dict[str, Callable[[Sequence[int], Path], Any]] = {
    ENVOY: peers.envoy_round_robin,
    RELAY: peers.relay,
    VLLM: peers.vllm_router,
    SGLANG: peers.sglang_router,
    STREAMED: peers.our_envoy("streamed"),
    DUPLEX: peers.our_envoy("full-duplex"),
    LITELLM: peers.litellm,
}
OURS_BEHIND_ENVOY = {STREAMED: "streamed", DUPLEX: "full-duplex"}
PICKER = "python"  # what the picker's process is called, beside Envoy's


def rows(say: Callable[[str], None], rounds: int = ROUNDS, lasts_s: float = LASTS_S) -> Iterator[Row]:
    """Everything in one run, gateways taking turns: the machine is not always equally fast."""
    with tempfile.TemporaryDirectory(prefix="bayplan-bench-") as name:
        folder = Path(name)
        with plain_engines(folder) as engines:
            say("short and long requests")
            yield from _requests(engines, folder, rounds, lasts_s)
            say("latency at 200 requests a second")
            yield from _latency(engines, folder, rounds)
        with streaming_engines(folder) as engines:
            say(f"{STREAMS} streams at a time")
            yield from _chunks(engines, folder, rounds)


class _Seen:
    """What was measured of one gateway, a value each round."""

    def __init__(self) -> None:
        self.per_s: list[float] = []
        self.cpu_us: list[float] = []
        self.picker_us: list[float] = []
        self.failed = 0


def _requests(engines: list[int], folder: Path, rounds: int, lasts_s: float) -> Iterator[Row]:
    for size in (SHORT_BYTES, LONG_BYTES):
        direct: list[float] = []
        seen = {name: _Seen() for name in GATEWAYS if size == SHORT_BYTES or name != LITELLM}
        for _ in range(rounds):
            direct.append(wrk(engines[0], folder, size=size, seconds=lasts_s / 3).per_s)
            for name, each in seen.items():
                with _started(name, engines, folder) as gateway:
                    _measure(gateway, each, folder, size, lasts_s)
        yield from _request_rows(seen, median(direct), size)


@contextmanager
def _started(name: str, engines: list[int], folder: Path) -> Iterator[Gateway]:
    with GATEWAYS[name](engines, folder) as gateway:
        yield gateway


def _measure(gateway: Gateway, seen: _Seen, folder: Path, size: int, lasts_s: float) -> None:
    wrk(gateway.port, folder, size=size, seconds=1)  # connections and caches
    before, picker = gateway.cpu_s(), gateway.cpu_s(PICKER)
    load = wrk(gateway.port, folder, size=size, seconds=lasts_s)
    seen.per_s.append(load.per_s)
    seen.cpu_us.append((gateway.cpu_s() - before) / load.requests * 1e6)
    seen.picker_us.append((gateway.cpu_s(PICKER) - picker) / load.requests * 1e6)
    seen.failed += load.failed


def _request_rows(seen: dict[str, _Seen], direct: float, size: int) -> Iterator[Row]:
    where = f"gateway/{size // 1000 or '0.4'}kB"
    envoy = median(seen[ENVOY].per_s)
    cpu = {name: median(each.cpu_us) for name, each in seen.items()}
    yield Row(f"{where}/direct", direct, "/s")
    for name, each in seen.items():
        yield Row(f"{where}/{name}", median(each.per_s), "/s", baseline=envoy)
        yield Row(f"{where}/{name}/cpu", cpu[name], "us", baseline=cpu[ENVOY])
        yield Row(f"{where}/{name}/failed", each.failed, "requests", 0, "<=")
    for name in OURS_BEHIND_ENVOY:
        yield Row(f"{where}/{name}/picker-cpu", median(seen[name].picker_us), "us", PICKER_GOAL_US[size], "<=")
    if size == SHORT_BYTES:
        yield Row(f"{where}/relay-of-envoy", median(seen[RELAY].per_s) / envoy, "times", OF_ENVOY_GOAL, ">=")
        yield Row(f"{where}/relay-cpu-of-vllm-router", cpu[RELAY] / cpu[VLLM], "times", OF_VLLM_CPU_GOAL, "<=")
        yield Row(f"{where}/relay-cpu-of-sglang-router", cpu[RELAY] / cpu[SGLANG], "times", OF_SGLANG_CPU_GOAL, "<=")
        for name, mode in OURS_BEHIND_ENVOY.items():
            yield Row(f"{where}/{name}-of-envoy", median(seen[name].per_s) / envoy, "times", EXT_PROC_GOAL[mode], ">=")


def _latency(engines: list[int], folder: Path, rounds: int) -> Iterator[Row]:
    """Added to what the engine takes without any gateway, in the same round."""
    added: dict[str, list[float]] = {ENVOY: [], RELAY: [], STREAMED: []}
    for turn in range(rounds):
        for name, found in added.items():
            direct = median(latencies(engines[0], seed=turn))
            with _started(name, engines, folder) as gateway:
                latencies(gateway.port, seconds=1, seed=turn)
                found.append(median(latencies(gateway.port, seed=turn)) - direct)
    for name, found in added.items():
        goal = (ADDED_GOAL_MS, "<=") if name == RELAY else (None, None)
        yield Row(f"gateway/200-a-second/{name}/added-p50", 1e3 * median(found), "ms", *goal)


def _chunks(engines: list[int], folder: Path, rounds: int) -> Iterator[Row]:
    """CPU of one chunk of a stream, requests included."""
    cpu: dict[str, list[float]] = {name: [] for name in (ENVOY, RELAY, VLLM, SGLANG)}
    for _ in range(rounds):
        for name, found in cpu.items():
            with _started(name, engines, folder) as gateway:
                streams(gateway.port, STREAMS, rounds=1)
                before = gateway.cpu_s()
                chunks = streams(gateway.port, STREAMS)
                found.append((gateway.cpu_s() - before) / chunks * 1e6)
    envoy = median(cpu[ENVOY])
    for name, found in cpu.items():
        goal = (CHUNK_GOAL_US, "<=") if name == RELAY else (None, None)
        yield Row(f"gateway/stream/{name}/cpu-per-chunk", median(found), "us", *goal, baseline=envoy)
    yield Row("gateway/stream/relay-of-envoy", median(cpu[RELAY]) / envoy, "times", 1.0, "<=")
