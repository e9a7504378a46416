"""The compiler of the rows that measure compiled loops."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from bayplan.library.numba_compiler import NumbaCompiler

if TYPE_CHECKING:
    from collections.abc import Callable


def numba_compiler(say: Callable[[str], None], row: str) -> NumbaCompiler | None:
    """A compiler that compiles at the first occasion; None without numba, which is said of the row."""
    if importlib.util.find_spec("numba") is None:
        say(f"{row}: skipped, numba is not installed; pip install 'bayplan[compiled]'")
        return None
    return NumbaCompiler(after=0)
