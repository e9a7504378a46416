"""What a constraint of a whole workload is: a rule about all of its replicas together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from bayplan.cluster.booking import Booking
    from bayplan.framework.cycle import Key
    from bayplan.framework.plugins import Filter
    from bayplan.placement.asks.ask import Ask


class Constraint(Protocol):
    """One rule in one try: it counts what the workload holds, and says which workers stay open.

    The file of a constraint holds all that placement knows of its rule: whether it applies, what it counts, its
    filter, the rows that it closes whatever is evicted, and whether it tells equal workers apart.
    """

    @property
    def key(self) -> Key[Any]:
        """The key under which the subject of a decision holds `view`."""

    @property
    def filter(self) -> Filter:
        """The plugin that refuses workers by this rule; it finds `view` in the subject of a decision."""

    def applies(self, asks: Sequence[Ask]) -> bool:
        """Whether the rule limits replicas with these asks."""

    def view(self, asks: Sequence[Ask]) -> Any:
        """The state of the rule now; the value is never changed afterwards."""

    def hold(self, booking: Booking, row: int) -> None:
        """Count a further booking of the workload; `row` is that of its worker."""

    def mark(self) -> Any:
        """What was counted so far, for `back_to`."""

    def back_to(self, mark: Any) -> None:
        """Count again what was counted at that mark."""

    def closed_rows(self, asks: Sequence[Ask]) -> Set[int]:
        """The rows that stay closed to one more replica even if every booking of other workloads is evicted."""

    def tells_apart(self, asks: Sequence[Ask]) -> bool:
        """Whether two workers that are equal otherwise are not equal under this rule."""


class Stateless:
    """A base for rules that count nothing and close nothing for good."""

    def hold(self, booking: Booking, row: int) -> None:
        """Nothing is counted."""

    def mark(self) -> Any:
        return None

    def back_to(self, mark: Any) -> None:
        """Nothing was counted."""

    def closed_rows(self, asks: Sequence[Ask]) -> Set[int]:
        return frozenset()

    def tells_apart(self, asks: Sequence[Ask]) -> bool:
        return False
