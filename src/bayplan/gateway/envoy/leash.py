"""Run a program that ends when the process that started it is gone.

`python -m bayplan.gateway.envoy.leash PID PROGRAM …`. Without it Envoy would go on and keep its port. Linux alone can
do that; elsewhere the program just runs.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_SET_PARENT_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG


def main(words: list[str]) -> None:
    """Become the program."""
    parent, *command = words
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != int(parent):
            return  # it was gone before we asked
    os.execv(command[0], command)  # noqa: S606 (no shell is wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
