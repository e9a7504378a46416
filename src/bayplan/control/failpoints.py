"""Places where a test makes the process die at once: BAYPLAN_FAILPOINT=name, or name:n for the n-th time there.

At one of them, `disk-full`, the process does not die: from the n-th time on it is as if the disk were full.
"""

from __future__ import annotations

import os
import signal
from functools import cache

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean

VARIABLE = "BAYPLAN_FAILPOINT"

FAILPOINTS = {
    "store-queued": "a write is queued for the writer thread, which has not seen it",
    "store-begun": "the transaction of a group of writes is open, nothing is written",
    "store-checked": "the writes of the group are checked, their rows are not written",
    "store-written": "the rows of the group are written, the transaction is not committed",
    "store-committed": "the group is committed and on the disk, no writer is answered",
    "store-published": "watchers were told of the group, no writer is answered",
    "store-answered": "the writers of the group are answered, their callers have not gone on",
    "store-compacting": "old revisions are deleted, the transaction is not committed",
    "store-compacted": "old revisions are deleted and that is committed",
    "store-created": "a new database file is complete, but not under its name",
    "store-migrating": "the steps to the newer format are done, the transaction is not committed",
    "scheduler-reserved": "a decision is made and its room reserved, no Pod is bound",
    "scheduler-bound": "the Pods of a decision are bound and on the disk, nothing is told about it",
    "scheduler-preempting": "victims are told to go, the Pods that take their place are not bound",
    "restore-copied": "the backup lies complete beside the present database",
    "restore-moved": "the present database is moved away, the restored one is not in its place",
    "disk-full": "this group of writes and all later ones find the disk full; the process goes on",
}
"""Every failpoint with what has happened when the process dies there."""

FAULTS = frozenset({"disk-full"})
"""Those at which something fails, and the process goes on."""


class Failpoint:
    """The one place that is armed, if any, and how often it is still passed."""

    def __init__(self, setting: str) -> None:
        self.name, _, count = setting.partition(":")
        if self.name and self.name not in FAILPOINTS:
            raise InputError(
                f"no failpoint is called {self.name!r}",
                place=VARIABLE,
                next=did_you_mean(self.name, FAILPOINTS),
            )
        if count and not (count.isascii() and count.isdigit() and int(count)):
            raise InputError(f"{count!r} is no whole number from 1 on", place=VARIABLE, next="write name:n")
        self._left = int(count or 1)

    def passed(self, name: str) -> bool:
        """Die without any cleaning up if this is the place and the time; at a fault, whether it is time to fail."""
        if name != self.name:
            return False
        self._left = max(0, self._left - 1)
        if not self._left and name not in FAULTS:
            os.kill(os.getpid(), signal.SIGKILL)
        return not self._left


@cache
def armed() -> Failpoint:
    """What the environment asks for; InputError where it cannot be read."""
    return Failpoint(os.environ.get(VARIABLE, ""))


def failpoint(name: str) -> bool:
    """Here the process may be made to die; `name` is one of FAILPOINTS. At a fault: whether to fail."""
    place = armed()
    return bool(place.name) and place.passed(name)
