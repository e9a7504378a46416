"""Keep the server replicas on which this version has not failed and from which it is not leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons
from bayplan.serving.asks.membership import is_among
from bayplan.serving.asks.subject import subject_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, Prepared
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows


class NotFailed:
    """Refuses a server replica on which loading this version has failed, or that is still unloading it.

    Curable: both marks are bookings of the model itself. A failed load is tried again after the next tick.
    """

    name = "not-failed"
    reads = ("place",)
    depends = Depends.CYCLE
    judges = "replicas"
    required = True

    def prepare(self, ask: Ask, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        subject = subject_of(cycle)
        return None if subject.failed or subject.leaving else SKIP

    def mask(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> BoolArray:
        subject = subject_of(cycle)
        return ~(is_among(rows.place, subject.failed) | is_among(rows.place, subject.leaving))

    def explain(self, ask: Ask, refused: ReplicaRows, cycle: Cycle) -> list[Reasons]:
        return list(_reasons(refused, cycle))


def _reasons(refused: ReplicaRows, cycle: Cycle) -> Iterator[Reasons]:
    """A replica may have both marks, each from a booking of its own."""
    subject = subject_of(cycle)
    marks = (
        ("load-failed", subject.failed, "loading this version has failed here"),
        ("leaving", subject.leaving, "this version is still being unloaded here"),
    )
    for code, places, text in marks:
        found = np.flatnonzero(is_among(refused.place, places))
        if len(found):
            yield Reasons(code, curable=True, text=text, places=found)
