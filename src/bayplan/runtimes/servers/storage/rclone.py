"""Files of models in object stores and on the web, copied by rclone where this machine has it."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bayplan.runtimes.servers.load_errors import FinalLoadError, LoadError

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_S = 3600
_ASK_S = 30
_UNCONFIGURED = {
    "gs": ":gcs,anonymous:",
    "s3": ":s3,provider=AWS,env_auth:",
    "azureblob": ":azureblob,env_auth:",
}
"""Stores that can be read where rclone has no remote of that name: public ones, or with the machine's own rights."""
_MOST_CHARACTERS = 400


def copy_remote(uri: str, version: str | None, secret: str | None, into: Path) -> None:
    """Copy what is at a URI into a folder; the next step is told where that cannot work."""
    program = shutil.which("rclone")
    scheme = urlsplit(uri).scheme
    if program is None:
        following = "install rclone on this worker, or copy the files to it and write file:///PATH"
        raise FinalLoadError(
            f"{uri}: {scheme}:// needs the program rclone, which this worker does not have; {following}"
        )
    if secret is not None:
        following = f"configure the remote {scheme!r} in the worker's rclone.conf, and leave secretName out"
        raise FinalLoadError(f"{uri}: workers do not read secretName ({secret}); {following}")
    source = _source(program, uri, version)
    done = _run([program, "copy", "--retries", "2", source, str(into)], _LONGEST_S)
    if done.returncode:
        raise LoadError(f"{uri}: rclone cannot copy it: {_last_line(done.stderr)}")
    if not any(into.iterdir()):
        raise FinalLoadError(f"{uri}: there are no files")


def _source(program: str, uri: str, version: str | None) -> str:
    """The URI in rclone's own words."""
    parts = urlsplit(uri)
    path = f"{parts.netloc}{parts.path}".rstrip("/") + (f"/{version}" if version is not None else "")
    if parts.scheme in ("http", "https"):
        rest = parts.path.strip("/") + (f"/{version}" if version is not None else "")
        return f":http,url='{parts.scheme}://{parts.netloc}':{rest}"
    remotes = _run([program, "listremotes"], _ASK_S).stdout.split()
    if f"{parts.scheme}:" in remotes:
        return f"{parts.scheme}:{path}"
    if parts.scheme in _UNCONFIGURED:
        return f"{_UNCONFIGURED[parts.scheme]}{path}"
    known = ", ".join(sorted({*_UNCONFIGURED, "http", "https", "file", *(each.rstrip(":") for each in remotes)}))
    raise FinalLoadError(f"{uri}: rclone has no remote {parts.scheme!r}; configure it, or use one of {known}")


def _run(command: list[str], longest_s: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=longest_s, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise LoadError(f"rclone was stopped after {longest_s:g} s") from None


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:_MOST_CHARACTERS] if lines else "it gave no reason"
