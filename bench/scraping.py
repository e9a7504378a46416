"""What scraping engines costs: reading one text, a text with a million foreign series, and whole scrapes over HTTP.

It has no suite of its own: the suite of routing asks it for its rows.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from bayplan.library.scrape import scrape
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.signals.scraping.pace import ScrapeSettings
from bayplan.signals.scraping.scraper import Scraper
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.routing.endpoints.engine_metrics import EngineMetrics

ROUNDS = 5
CALLS = 200
FOREIGN = 1_000_000
ENDPOINTS = 20
SCRAPES = 4_000
READ_GOAL_US = 150
FOREIGN_GOAL_MS = 250
SCRAPE_GOAL_US = 300

_SERVER = """
import asyncio, sys
body = sys.stdin.buffer.read()
answer = b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body
class Served(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
    def data_received(self, data):
        self.transport.write(answer)
async def serve():
    server = await asyncio.get_running_loop().create_server(Served, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(600)
asyncio.run(serve())
"""


def rows(
    say: Callable[[str], None], *, calls: int = CALLS, foreign: int = FOREIGN, scrapes: int = SCRAPES
) -> Iterator[Row]:
    """Reading beside the client library of Prometheus, which reads every line."""
    text = exposition()
    say(f"a text of {len(text)} bytes and {text.count(chr(10))} lines")
    yield _reading(text, calls)
    yield _foreign(text, foreign)
    yield _whole(text.encode(), scrapes)


def exposition() -> str:
    """A text as a vLLM server has it: three gauges, two infos, and two dozen histograms."""
    labels = 'engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"'
    lines = []

    def family(name: str, kind: str) -> None:
        lines.extend((f"# HELP vllm:{name} What {name} is.", f"# TYPE vllm:{name} {kind}"))

    for name, value in (("num_requests_running", 12), ("num_requests_waiting", 3), ("kv_cache_usage_perc", 0.41)):
        family(name, "gauge")
        lines.append(f"vllm:{name}{{{labels}}} {value}")
    for number in range(20):
        name = f"some_time_{number}_seconds"
        family(name, "histogram")
        lines.extend(f'vllm:{name}_bucket{{le="{bound * 1.5}",{labels}}} {bound * 100}.0' for bound in range(22))
        lines.extend(f"vllm:{name}_{part}{{{labels}}} 1.0" for part in ("count", "sum"))
    family("cache_config_info", "gauge")
    lines.append('vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",num_gpu_blocks="27896"} 1.0')
    family("lora_requests_info", "gauge")
    lines.append('vllm:lora_requests_info{max_lora="4",running_lora_adapters="a,b",waiting_lora_adapters=""} 1.7e9')
    return "\n".join(lines) + "\n"


def _reading(text: str, calls: int) -> Row:
    def ours() -> None:
        for _ in range(calls):
            scrape(text)

    def peer() -> None:
        for _ in range(calls // 20 or 1):
            list(text_string_to_metric_families(text))

    found = interleaved({"ours": lambda: ours, "peer": lambda: peer}, ROUNDS)
    each = {"ours": found["ours"] / calls, "peer": found["peer"] / (calls // 20 or 1)}
    return Row("routing/scrape/read", each["ours"] * 1e6, "us", READ_GOAL_US, "<=", baseline=each["peer"] * 1e6)


def _foreign(text: str, count: int) -> Row:
    whole = "".join(f'noise{{n="{number}"}} 1\n' for number in range(count)) + text
    found = interleaved({"ours": lambda: lambda: scrape(whole)}, ROUNDS)
    return Row("routing/scrape/foreign-series", found["ours"] * 1e3, "ms", FOREIGN_GOAL_MS, "<=")


def _whole(text: bytes, scrapes: int) -> Row:
    """CPU of the scraping process for a scrape: connection, reading and the router's port."""
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(text)
        server.stdin.close()
        seconds = asyncio.run(_scraped(int(server.stdout.readline()), scrapes))
        server.stdout.close()
    finally:
        server.kill()
        server.wait()
    return Row("routing/scrape/cpu", seconds / scrapes * 1e6, "us", SCRAPE_GOAL_US, "<=")


async def _scraped(port: int, scrapes: int) -> float:
    counted = _Counted(scrapes)
    fast = ScrapeSettings(busy_s=0.002, usual_s=0.002, idle_s=0.002, longest_s=0.002)
    scraper = Scraper(counted, settings=fast, chance=Random(0))
    begun_s = time.process_time()
    for number in range(ENDPOINTS):
        scraper.up(Endpoint(f"e{number}", "127.0.0.1", port))
    await counted.done.wait()
    seconds = time.process_time() - begun_s
    scraper.close()
    return seconds


class _Counted:
    """A router port that waits for so many reports; other calls do not come."""

    def __init__(self, wanted: int) -> None:
        self._left = wanted
        self.done = asyncio.Event()

    def report(self, name: str, metrics: EngineMetrics, measured_s: float) -> None:
        self._left -= 1
        if not self._left:
            self.done.set()
