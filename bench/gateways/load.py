"""Load on a gateway: wrk as fast as it goes, a steady trickle for latencies, and many streams at a time."""

from __future__ import annotations

import asyncio
import json
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.gateways.streaming import CHUNKS

if TYPE_CHECKING:
    from pathlib import Path

CONNECTIONS = 32
_PATH = "/v1/chat/completions"
_SCRIPT = """
local file = io.open("{body}", "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
file:close()
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer sk-bench"
done = function(summary, latency, requests)
  io.write(string.format("DONE %d %d %d %d\\n", summary.requests, summary.duration, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What a run of wrk saw."""

    requests: int
    seconds: float
    failed: int

    @property
    def per_s(self) -> float:
        return self.requests / self.seconds


def body(size: int, *, stream: bool = False) -> bytes:
    """A chat of about this many bytes."""
    words = "the quick brown fox jumps over the lazy dog and " * (size // 48)
    message = {"model": "m", "messages": [{"role": "user", "content": words}], "max_tokens": 64, "stream": stream}
    return json.dumps(message).encode()


def wrk(port: int, folder: Path, *, size: int = 400, seconds: float = 3, connections: int = CONNECTIONS) -> Load:
    """All connections ask again as soon as they are answered."""
    program = shutil.which("wrk")
    if program is None:
        raise RuntimeError("wrk is missing; install Debian's package wrk")
    (folder / f"body-{size}").write_bytes(body(size))
    script = folder / f"wrk-{size}.lua"
    script.write_text(_SCRIPT.format(body=folder / f"body-{size}"), encoding="utf-8")
    command = [
        program,
        "-t1",
        f"-c{connections}",
        f"-d{seconds:g}s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}{_PATH}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 60)
    found = re.search(r"DONE (\d+) (\d+) (\d+) (\d+)", done.stdout)
    if found is None:
        raise RuntimeError(f"wrk said nothing of use: {done.stdout[-500:]}")
    requests, microseconds, refused, broken = map(int, found.groups())
    return Load(requests, microseconds / 1e6, refused + broken)


def latencies(port: int, *, per_s: float = 200, seconds: float = 6, seed: int = 1) -> list[float]:
    """Seconds of each request, sorted; they come at random moments, whether or not others are answered."""
    return asyncio.run(_trickle(port, per_s, seconds, seed))


async def _trickle(port: int, per_s: float, seconds: float, seed: int) -> list[float]:
    loop = asyncio.get_running_loop()
    content = body(400)
    head = (
        f"POST {_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    )
    request = head.encode() + content
    chance, unused, taken = random.Random(seed), [], []
    tasks = []
    end, due = loop.time() + seconds, loop.time()

    async def one() -> None:
        reader, writer = unused.pop() if unused else await asyncio.open_connection("127.0.0.1", port)
        begun = loop.time()
        writer.write(request)
        await _read_answer(reader)
        taken.append(loop.time() - begun)
        unused.append((reader, writer))

    while due < end:
        due += chance.expovariate(per_s)
        await asyncio.sleep(max(0.0, due - loop.time()))
        tasks.append(asyncio.create_task(one()))
    await asyncio.gather(*tasks)
    for _, writer in unused:
        writer.close()
    return sorted(taken)


async def _read_answer(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200"):
        raise RuntimeError(f"answered {head[:200]!r}")
    length = re.search(rb"content-length: *(\d+)", head)
    if length is not None:
        await reader.readexactly(int(length[1]))
        return
    while size := int((await reader.readline()).strip() or b"0", 16):
        await reader.readexactly(size + 2)
    await reader.readline()


def streams(port: int, number: int, *, rounds: int = 3) -> int:
    """Chunks that came of so many streams at a time, some rounds of them one after the other."""
    return asyncio.run(_streams(port, number, rounds))


async def _streams(port: int, number: int, rounds: int) -> int:
    content = body(400, stream=True)
    head = (
        f"POST {_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    )
    request = head.encode() + content

    async def one() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        chunks = 0
        for _ in range(rounds):
            writer.write(request)
            chunks += await _read_stream(reader)
        writer.close()
        return chunks

    found = sum(await asyncio.gather(*(one() for _ in range(number))))
    if found != number * rounds * CHUNKS:
        raise RuntimeError(f"{found} chunks came where {number * rounds * CHUNKS} were sent")
    return found


async def _read_stream(reader: asyncio.StreamReader) -> int:
    """Counts events by their text: gateways may frame chunks anew."""
    events, last = 0, b""
    while not last.endswith(b"0\r\n\r\n"):
        piece = await reader.read(65536)
        if not piece:
            raise RuntimeError("the stream was cut off")
        events += piece.count(b'"content":"word"')
        last = (last + piece)[-16:]
    return events
