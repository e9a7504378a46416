"""A `bayplan up` that a nursery forks, with a fleet whose replicas start and stop in a moment."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

NURSERY = Path(__file__).parent / "nursery.py"
SOURCES = Path(__file__).parents[2] / "src"
SCENARIO = """\
apiVersion: bayplan.io/v1alpha1
kind: Scenario
pace: {start: 20ms, stop: 20ms, job: 500ms, gibPerSecond: 100000, jitter: 0.5}
"""
LONGEST_S = 60  # for a start, and for the death of a process: a loaded machine gets much time
PATCH = "application/merge-patch+json"


class LostError(Exception):
    """The server died before it answered."""


class Nursery:
    """Starts servers, one at a time. Use it in a `with`."""

    def __init__(self, folder):
        self._folder = folder
        self._scenario = folder / "scenario.yaml"
        self._scenario.write_text(SCENARIO, encoding="utf-8")

    def __enter__(self):
        env = {key: value for key, value in os.environ.items() if not key.startswith("BAYPLAN_")}
        self._process = subprocess.Popen(
            [sys.executable, NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**env, "PYTHONPATH": str(SOURCES), "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def start(self, data, *, failpoint="", later=""):
        """A server that is being started; `later` is armed by `Served.arm`."""
        out, err = self._folder / "out", self._folder / "err"
        out.write_text("", encoding="utf-8")
        words = ["up", "--data", str(data), "--port", "0", "--insecure-http", "--simulate", str(self._scenario)]
        order = {"args": words, "failpoint": failpoint, "later": later, "out": str(out), "err": str(err)}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return Served(self._said("began"), out, err, lambda: self._said("ended"))

    def _said(self, word):
        line = self._process.stdout.readline().split()
        if line[:1] != [word]:
            raise AssertionError(f"the nursery said {line} instead of {word}")
        return int(line[1])


class Served:
    """A server that runs, or is about to."""

    def __init__(self, pid, out, err, ended):
        self.pid, self._out, self._err, self._ended = pid, out, err, ended
        self.port = 0

    def ready(self):
        """Wait until it answers; False where it dies before."""
        until = time.monotonic() + LONGEST_S
        while time.monotonic() < until:
            line = self._out.read_text(encoding="utf-8").rpartition("ready ")[2]
            if line.endswith("\n"):
                self.port = int(line.rsplit(":", 1)[1])
                return True
            if not self.is_alive:
                return False
            time.sleep(0.005)
        raise AssertionError(f"no answer within {LONGEST_S} s: {self.errors}")

    @property
    def is_alive(self):
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return state not in "ZX"

    @property
    def errors(self):
        return self._err.read_text(encoding="utf-8")

    def arm(self):
        self._signal(signal.SIGUSR1)

    def kill(self):
        self._signal(signal.SIGKILL)

    def _signal(self, number):
        if self.is_alive:
            os.kill(self.pid, number)

    def died(self):
        """Wait for the end; AssertionError where it ended in another way than by SIGKILL."""
        status = self._ended()
        if status != -signal.SIGKILL:
            raise AssertionError(f"the server ended by itself with {status}: {self.errors}")

    def connect(self):
        return Connection(self.port)


class Connection:
    """One connection of one user."""

    def __init__(self, port):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)

    def ask(self, method, path, body=None, media="application/json"):
        """The code and the document of the answer; LostError where there is none."""
        text = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, path, text, {"Content-Type": media})
            answer = self._connection.getresponse()
            read = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise LostError(str(error)) from error
        return answer.status, json.loads(read or b"{}")

    def get(self, path):
        code, document = self.ask("GET", path)
        if code != 200:
            raise AssertionError(f"GET {path}: {code} {document}")
        return document

    def close(self):
        self._connection.close()
