"""`python -m bench.gateways.streaming PORT…`: engines that stream 100 chunks, one every 10 ms, from one timer."""

from __future__ import annotations

import asyncio
import sys
from typing import cast

import httptools
import uvloop

CHUNKS = 100
EVERY_S = 0.01
FIRST_S = 0.03
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_EVENT = b'data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n'
_CHUNK = b"%x\r\n%s\r\n" % (len(_EVENT), _EVENT)
_LAST = b"data: [DONE]\n\n"
_END = b"%x\r\n%s\r\n0\r\n\r\n" % (len(_LAST), _LAST)
_METRICS = (
    b"vllm:num_requests_waiting 0\nvllm:num_requests_running 0\nvllm:kv_cache_usage_perc 0.1\n"
    b'vllm:cache_config_info{block_size="16",num_gpu_blocks="10000"} 1\n'
)


class Engine(asyncio.Protocol):
    """One connection; answers requests one after the other."""

    def __init__(self, streams: dict[Engine, int]) -> None:
        self._streams = streams
        self._parser = httptools.HttpRequestParser(self)
        self._path = b""
        self._method = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass of it

    def connection_lost(self, problem: Exception | None) -> None:
        self._streams.pop(self, None)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self._path = url

    def on_message_complete(self) -> None:
        if self._parser.get_method() == b"POST":
            asyncio.get_running_loop().call_later(FIRST_S, self._begin)
            return
        body = _METRICS if self._path == b"/metrics" else b'{"object":"list","data":[{"id":"m","object":"model"}]}'
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

    def _begin(self) -> None:
        self.transport.write(_HEAD + _CHUNK)
        self._streams[self] = CHUNKS - 1


async def _tick(streams: dict[Engine, int]) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        due += EVERY_S
        await asyncio.sleep(max(0.0, due - loop.time()))
        for each, left in list(streams.items()):
            each.transport.write(_CHUNK if left > 1 else _CHUNK + _END)
            if left > 1:
                streams[each] = left - 1
            else:
                del streams[each]


async def _serve(ports: list[int]) -> None:
    streams: dict[Engine, int] = {}
    loop = asyncio.get_running_loop()
    for port in ports:
        await loop.create_server(lambda: Engine(streams), "127.0.0.1", port, backlog=1024)
    await _tick(streams)


if __name__ == "__main__":
    uvloop.run(_serve([int(each) for each in sys.argv[1:]]))
