"""Compiles the loops over changed rows with numba, for processes that live long.

numba is optional and heavy: half a second to load, two seconds for a loop that was never compiled on this machine, and
135 MB of memory. So it is loaded by the first `compile`, which the framework calls after some thousand decisions of one
profile, and compiled code is kept in the user's cache folder.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

AFTER = 2_000
"""Redos of changed rows after which compiling pays: it costs as much as about ten thousand of them in plain NumPy."""

_HEADER = '''\
"""Written by Bayplan: a loop over changed rows, kept here so that numba need not compile it again."""

from math import inf, nan

import numba

compiled = numba.njit(cache={cache}, error_model="numpy")  # divides as NumPy does; no fast maths


'''
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class NumbaCompiler:
    """Hands out compiled loops; equal texts are compiled once. Without numba there are none."""

    def __init__(self, *, after: int = AFTER, folder: Path | None = None) -> None:
        """`folder`: where compiled code is kept, by default in the user's cache folder."""
        self.after = after
        self._folder = folder
        self._known: dict[str, Callable[..., Any] | None] = {}

    def compile(self, text: str, *, afresh: bool = False) -> Callable[..., Any] | None:
        """The function `redo` of this text; None where numba is not installed.

        `afresh`: for this process alone; what was kept of it is thrown away, and kept again by the next process.
        """
        is_there = importlib.util.find_spec("numba") is not None
        if is_there and afresh:
            self._forget(text)
            self._known[text] = _compiled(text)
        elif text not in self._known:
            self._known[text] = (self._kept(text) or _compiled(text)) if is_there else None
        return self._known[text]

    def _forget(self, text: str) -> None:
        """Delete what numba kept of a text; where that cannot be done, each process compiles it afresh."""
        with suppress(OSError):
            for path in (self._own_folder() / "__pycache__").glob(f"{_name(_HEADER.format(cache=True) + text)}.*"):
                path.unlink(missing_ok=True)

    def _kept(self, text: str) -> Callable[..., Any] | None:
        """From a file of its own, beside which numba keeps what it compiled: code without a file cannot be kept."""
        code = _HEADER.format(cache=True) + text
        name = _name(code)
        try:
            path = self._own_folder() / f"{name}.py"
            _write_once(path, code)
        except OSError:
            return None
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            return None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where numba looks for it when it loads what it kept
        spec.loader.exec_module(module)
        function: Callable[..., Any] = module.redo
        return function

    def _own_folder(self) -> Path:
        """The folder, made if need be; OSError where others could write in it, because its code is run."""
        folder = self._folder or _cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        seen = folder.stat()
        if seen.st_mode & _OTHERS or (hasattr(os, "getuid") and seen.st_uid != os.getuid()):
            raise PermissionError(f"{folder} can be written by others")
        return folder


def _name(code: str) -> str:
    """A module's name that says what is in it: a file of that name cannot be out of date."""
    return f"rows_{sha256(code.encode()).hexdigest()[:24]}"


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "bayplan" / "kernels"


def _write_once(path: Path, code: str) -> None:
    """Leave a file that says the same alone: numba compiles again what has a newer date.

    Others may write it at the same time: each writes a file of its own and puts it there in one step.
    """
    try:
        if path.read_text(encoding="utf-8") == code:
            return
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(code)
    Path(file.name).replace(path)


def _compiled(text: str) -> Callable[..., Any]:
    """Compiled for this process alone."""
    names: dict[str, Any] = {}
    exec(compile(_HEADER.format(cache=False) + text, "<row loop>", "exec"), names)  # noqa: S102 (our own text)
    function: Callable[..., Any] = names["redo"]
    return function
