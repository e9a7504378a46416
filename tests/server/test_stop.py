"""How a server ends, and what it refuses at the start."""

import os
import signal
import subprocess
import sys

import pytest

from server.running import LONGEST_S, ROOT, read_answer, running

HOST = b"Host: 127.0.0.1\r\n"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_open_watches_and_half_sent_requests_do_not_hold_the_stop(tmp_path, sign):
    with running(tmp_path) as server:
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


def test_a_second_server_on_the_same_folder(tmp_path):
    with running(tmp_path) as server:
        command = [sys.executable, "-m", "bayplan", "up", "--data", str(tmp_path), "--port", "0"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        second = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST_S, env=environment, check=False
        )
        assert second.returncode == 1
        assert f"process {server.process.pid}" in second.stderr
        assert "Traceback" not in second.stderr
        assert (tmp_path / "run.json").exists()
        assert server.ask("GET", "/livez").code == 200
