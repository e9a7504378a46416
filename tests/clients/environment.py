"""Programs of other people, each in a Python environment of its own, in a cache outside the repository."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

LONGEST_S = 300
REQUIREMENTS = Path(__file__).with_name("requirements")


def cache_folder() -> Path:
    """Where environments are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "bayplan" / "environments"


def environment(name: str) -> Path:
    """The Python of an environment with this package; made once, by the first of several test processes.

    Without a package registry the test is skipped; where CI is set, that is a failure.
    """
    wanted = REQUIREMENTS / f"{name}.txt"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(wanted.read_bytes() + version.encode()).hexdigest()[:12]
    folder = cache_folder() / f"{name}-{digest}"
    python = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            _make(folder, python, wanted)
    return python


def _make(folder: Path, python: Path, wanted: Path) -> None:
    venv.create(folder, clear=True, with_pip=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", wanted]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=LONGEST_S, check=False, env=plain_environment()
    )
    if done.returncode:
        problem = f"{wanted.stem} cannot be installed: {done.stderr.strip()[-500:]}"
        if os.environ.get("CI"):
            pytest.fail(problem)
        pytest.skip(problem)
    (folder / "ready").touch()


def plain_environment() -> dict[str, str]:
    """The environment of the process, without what would lead to our own modules."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
