"""The kubectl binary as a user calls it."""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

_LONGEST_S = 60  # no command of the tests waits that long; one that does has failed


@dataclass(frozen=True)
class Answer:
    """What one command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[list[str]]:
        """The words of each line of a table."""
        return [line.split() for line in self.out.splitlines()]

    @property
    def yaml(self) -> Any:
        return yaml.safe_load(self.out)


@dataclass(frozen=True)
class Kubectl:
    """Commands in one namespace; `home` keeps what kubectl remembers of the server."""

    binary: str
    kubeconfig: Path
    home: Path
    namespace: str = "default"

    def environment(self, **more: str) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "KUBECONFIG": str(self.kubeconfig), **more}

    def command(self, *words: str) -> list[str]:
        return [self.binary, "--namespace", self.namespace, *words]

    def __call__(self, *words: str, given: str | None = None, code: int = 0, **environment: str) -> Answer:
        """Run it; `given` is its standard input, `code` the exit code that is expected."""
        ran = subprocess.run(
            self.command(*words),
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST_S,
            env=self.environment(**environment),
        )
        shown = f"kubectl {' '.join(words)} ended with {ran.returncode}, not {code}\n{ran.stdout}{ran.stderr}"
        assert ran.returncode == code, shown
        return Answer(ran.returncode, ran.stdout, ran.stderr)

    def apply(self, manifest: str, *flags: str, code: int = 0) -> Answer:
        """Apply a manifest that is given as text."""
        return self("apply", "-f", "-", *flags, given=manifest, code=code)

    def create(self, manifest: str, *flags: str, code: int = 0) -> Answer:
        """Create what a manifest says."""
        return self("create", "-f", "-", *flags, given=manifest, code=code)

    def value(self, kind: str, name: str, path: str) -> str:
        """One field of an object: `value("pod", "a", ".status.phase")`."""
        return self("get", kind, name, "-o", f"jsonpath={{{path}}}").out

    def within(self, namespace: str) -> "Kubectl":
        """The same in another namespace."""
        return replace(self, namespace=namespace)
