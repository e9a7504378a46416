"""How a server ends."""

import signal

import pytest

from bayplan_up import RunningServer
from raw_http import read_answer

HOST = b"Host: 127.0.0.1\r\n"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_open_watches_and_half_sent_requests_do_not_hold_the_stop(tmp_path, sign):
    with RunningServer(tmp_path, "--insecure-http") as server:
        watch, head, body = (server.connect() for _ in range(3))
        watch.sendall(b"GET /api/v1/pods?watch=1 HTTP/1.1\r\n" + HOST + b"\r\n")
        assert read_answer(watch).code == 200
        head.sendall(b"GET /api HTTP/1.1\r\nHos")
        body.sendall(b"POST /v1/plan HTTP/1.1\r\n" + HOST + b"Content-Length: 10\r\n\r\n{")
        server.process.send_signal(sign)
        assert server.process.wait(10) == 0
        assert not (tmp_path / "run.json").exists()
        for each in (watch, head, body):
            each.close()
