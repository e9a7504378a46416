"""A router that only writes down what it is told, and servers that answer with given bytes."""

import asyncio
from contextlib import asynccontextmanager


class HeardRouter:
    """A router port in memory."""

    def __init__(self):
        self.endpoints = {}
        self.told = []
        self.reports = []
        self.events = []
        self.objectives = {}
        self.rewrites = []
        self._news = asyncio.Event()

    def endpoint_up(self, endpoint):
        self.endpoints[endpoint.name] = endpoint
        self._tell("up", endpoint.name, endpoint.ready)

    def endpoint_down(self, name):
        del self.endpoints[name]
        self._tell("down", name)

    def report(self, name, metrics, measured_s):
        self.reports.append((name, metrics, measured_s))
        self._tell("report", name)

    def kv_event(self, name, event):
        self.events.append((name, event))
        self._tell("kv", name)

    def set_objectives(self, priorities):
        self.objectives = dict(priorities)
        self._tell("objectives")

    def set_rewrites(self, rewrites):
        self.rewrites = list(rewrites)
        self._tell("rewrites")

    def _tell(self, *what):
        self.told.append(what)
        self._news.set()

    async def until(self, holds):
        """Wait until something is true of what was told."""
        async with asyncio.timeout(20):
            while not holds(self):
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def serving(answer):
    """A server on a free port; `answer(reader, writer, number)` handles its connections, which are numbered from 0."""
    tasks = set()
    count = 0

    async def handle(reader, writer):
        nonlocal count
        number, count = count, count + 1
        task = asyncio.current_task()
        tasks.add(task)
        try:
            await answer(reader, writer, number)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def saying(*answers):
    """Answers requests with these bytes in order, whatever connection they come on, and with the last ones for ever."""
    left = list(answers)

    async def answer(reader, writer, number):
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(left.pop(0) if len(left) > 1 else left[0])
            await writer.drain()

    return answer


def hanging_up_after(first):
    """Answers the first request of a connection, and closes at the second."""

    async def answer(reader, writer, number):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(first)
        await reader.readuntil(b"\r\n\r\n")

    return answer


def http(body=b"", status="200 OK", headers=b""):
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n%b\r\n%b" % (status.encode(), len(body), headers, body)
