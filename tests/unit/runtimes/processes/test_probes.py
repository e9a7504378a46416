"""Health checks."""

import asyncio
from pathlib import Path

import pytest

from bayplan.runtimes.processes.launch import Launch
from bayplan.runtimes.processes.probes import Probe, Prober, probe_of

LAUNCH = Launch(("a",), {}, Path("/"), 5001, {8000: 5001, 9000: 9000})
CONTAINER = {"ports": [{"name": "http", "containerPort": 8000}, {"containerPort": 9000}]}

READ = {
    "none": (None, None),
    "a port by number": ({"httpGet": {"path": "/h", "port": 8000}}, Probe("http://127.0.0.1:5001/h")),
    "a port by name": ({"httpGet": {"path": "h", "port": "http"}}, Probe("http://127.0.0.1:5001/h")),
    "another port": ({"httpGet": {"port": 9000}}, Probe("http://127.0.0.1:9000/")),
    "tcp": ({"tcpSocket": {"port": "http"}}, Probe(port=5001)),
    "grpc is asked by tcp": ({"grpc": {"port": 8000}}, Probe(port=5001)),
    "a command": ({"exec": {"command": ["a", "b"]}, "periodSeconds": 3}, Probe(command=("a", "b"), period_s=3.0)),
    "what nothing knows": ({"telepathy": {}}, None),
}


@pytest.mark.parametrize(("document", "probe"), READ.values(), ids=READ)
def test_probes_of_pods(document, probe):
    assert probe_of(document, CONTAINER, LAUNCH, "127.0.0.1") == probe


def asked(probe, answer=None):
    """What a probe finds; `answer` is what a server on its port sends."""

    async def ask():
        prober = Prober("127.0.0.1")
        server = None
        if answer is not None:

            async def serve(reader, writer):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(answer)
                await writer.drain()
                writer.close()

            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
        try:
            return await prober.problem(probe(port) if answer is not None else probe, LAUNCH)
        finally:
            await prober.close()
            if server is not None:
                server.close()

    return asyncio.run(ask())


def http(port):
    return Probe(f"http://127.0.0.1:{port}/")


def test_http():
    assert asked(http, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == ""
    assert asked(http, b"HTTP/1.1 307 Moved\r\nContent-Length: 0\r\nLocation: http://x/\r\n\r\n") == ""
    assert asked(http, b"HTTP/1.1 503 Busy\r\nContent-Length: 7\r\n\r\nloading") == "HTTP 503: loading"
    assert asked(http, b"nonsense\r\n\r\n") != ""


def test_commands():
    assert asked(Probe(command=("true",))) == ""
    assert asked(Probe(command=("sh", "-c", "echo bad; exit 3"))) == "exit 3: bad"
    assert "no-such" in asked(Probe(command=("no-such-command",)))
    assert asked(Probe(command=("sleep", "100"), timeout_s=0.05)) == "no answer within 0.05 s"


def test_nobody_listens():
    assert asked(Probe(port=1)) != ""
    assert asked(Probe("http://127.0.0.1:1/")) != ""
