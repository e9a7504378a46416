"""What tests of the scheduler share."""

from unit.framework.builders import (
    Scores,
)  # fmt: skip


def boom(*_):
    raise ZeroDivisionError("by three")


def least_free(name="least"):
    return Scores(name, ("free",), lambda ask, rows, cycle: 1 - rows.free / 10)
