"""MLServer itself: in an environment of its own, in a cache outside the repository, because it pins many packages."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGES: Final = ("mlserver==1.7.1", "mlserver-sklearn==1.7.1")
"""The versions that were tested; other runtimes of MLServer are added with pip to the same environment."""
BINARY: Final = "BAYPLAN_MLSERVER"
"""The variable that names another MLServer."""

_LONGEST_S: Final = 900  # the packages have 130 MB
_READY: Final = "ready"


def find_mlserver() -> Path:
    """The program: that of the variable, else the installed one; InputError says how to get one."""
    if given := os.environ.get(BINARY):
        if not os.access(given, os.X_OK):
            raise InputError(f"{given} is no program", place=BINARY, next="name the program mlserver")
        return Path(given)
    folder = environment_folder()
    if not (folder / _READY).exists():
        message = "MLServer is not installed on this machine"
        raise InputError(message, place="backend mlserver", next=f"run `make mlserver`, or name one with {BINARY}")
    return folder / "bin" / "mlserver"


def environment_folder() -> Path:
    """Where it is installed: one folder for each set of versions that is wanted."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(f"{' '.join(PACKAGES)} {version}".encode()).hexdigest()[:12]
    return cache / "bayplan" / "environments" / f"mlserver-{digest}"


def install_mlserver(say: Callable[[str], None]) -> Path:
    """Install it once; another process that wants to do the same waits. `say` is told when it begins."""
    folder = environment_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _READY).exists():
            say(f"installing {' '.join(PACKAGES)} into {folder} (about two minutes, once)")
            venv.create(folder, clear=True, with_pip=True)
            _install(folder / "bin" / "python")
            (folder / _READY).touch()
    return folder / "bin" / "mlserver"


def _install(python: Path) -> None:
    """Run pip of the new environment, without what would lead it to our own modules."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
    done = subprocess.run(  # noqa: S603 (words of our own)
        command, capture_output=True, text=True, timeout=_LONGEST_S, check=False, env=kept
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        following = f"check the package index that pip uses, or name an MLServer with {BINARY}"
        message = f"MLServer cannot be installed: {reason[0][:300]}"
        raise InputError(message, place=" ".join(PACKAGES), next=following, code="io")
