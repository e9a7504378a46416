"""`bayplan up` in a process of its own, for tests that talk to it as users do."""

import http.client
import json
import os
import ssl
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import yaml

_STOP_S = 20  # it ends within ten; a loaded machine gets twice that


class RunningServer:
    """Use it in a `with`: it serves inside, and is stopped with SIGTERM at the end."""

    def __init__(self, data: Path, *flags: str) -> None:
        self.data = data
        self._flags = flags
        self.url = ""

    @property
    def kubeconfig(self) -> Path:
        return self.data / "kubeconfig"

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "bayplan", "up", "--data", str(self.data), "--port", "0", *self._flags]
        self._errors = (self.data.parent / f"{self.data.name}.stderr").open("w+")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BAYPLAN_")}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._errors, text=True, env=environment
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.url = line.split()[1]
                return self
        raise AssertionError(f"the server ended with {self.process.wait()}: {self.errors()}")

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """End it as a user does; its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(_STOP_S)
        finally:
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()
            self._errors.close()

    def errors(self) -> str:
        """What it wrote to stderr so far."""
        return Path(self._errors.name).read_text()

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        """One request with the administrator's token; header names are written with `_` for `-`."""
        config = yaml.safe_load(self.kubeconfig.read_text())
        authority = b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        given = {"Authorization": f"Bearer {config['users'][0]['user']['token']}", "Content-Type": "application/json"}
        given |= {key.replace("_", "-"): value for key, value in headers.items()}
        where = urlsplit(self.url)
        trust = ssl.create_default_context(cadata=authority)
        connection = http.client.HTTPSConnection(where.hostname or "", where.port, timeout=30, context=trust)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), given)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
