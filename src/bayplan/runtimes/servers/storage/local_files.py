"""Files of models on this machine: a path, or a file:// URI."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bayplan.runtimes.servers.layouts.triton import CONFIG
from bayplan.runtimes.servers.load_errors import FinalLoadError


def copy_local(uri: str, version: str | None, into: Path) -> None:
    """Copy a folder's contents, or one file, into a folder; of a folder with versions that version alone."""
    source = _path(uri)
    if not source.exists():
        raise FinalLoadError(f"{uri}: there is no file or folder {source} on this worker")
    if version is not None:
        config = source / CONFIG
        source = _of_version(source, version)
        if config.is_file():  # Triton keeps it beside its versions
            shutil.copy2(config, into / CONFIG)
    if source.is_dir():
        shutil.copytree(source, into, dirs_exist_ok=True)
    else:
        shutil.copy2(source, into / source.name)


def _path(uri: str) -> Path:
    parts = urlsplit(uri)
    if parts.scheme == "file" and parts.netloc not in ("", "localhost"):
        raise FinalLoadError(f"{uri}: names the machine {parts.netloc!r}; write file:///PATH for files of the worker")
    path = Path(unquote(parts.path)) if parts.scheme == "file" else Path(uri)
    if not path.is_absolute():
        raise FinalLoadError(f"{uri}: is no absolute path; write file:///PATH, or a URI such as s3://BUCKET/PATH")
    return path


def _of_version(source: Path, version: str) -> Path:
    found = source / version
    if not found.is_dir():
        there = sorted(each.name for each in source.iterdir() if each.is_dir()) if source.is_dir() else []
        shown = ", ".join(there[:5]) or "none"
        raise FinalLoadError(f"{source}: there is no folder {version!r} for artifactVersion; folders there: {shown}")
    return found
