"""A role beside the cluster that it is to run on: what the asks of its replicas are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape
from bayplan.placement.asks.backends import SPANS_WORKERS
from bayplan.sizing.margins import gone_mib, headroom_mib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.snapshot import Snapshot
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.sizing.divisions import Division


class RoleOnCluster:
    """One role and one snapshot; `warnings` collects what the workload's owner should be told.

    `widest` is the largest number of cards that one worker has, `cards` the number of cards of the whole cluster.
    """

    def __init__(self, role: SizedRole, snapshot: Snapshot) -> None:
        self.shape, self.need, self.engine = role.shape, role.need, role.engine
        self.gpus = role.shape.gpus
        self.snapshot = snapshot
        self.warnings: list[str] = []
        counts = snapshot.table.columns["card_count"]
        self.widest = int(counts.max()) if len(counts) else 0
        self.cards = int(counts.sum()) if len(counts) else 0

    @property
    def spans(self) -> bool:
        """Whether cards of several workers will do: not where they must be near each other, or linked fast."""
        if self.gpus is None:
            return self.shape.distributed
        if self.gpus.min_bandwidth_gb_per_s and self.gpus.count != 1:
            return False
        return self.gpus.locality is Locality.ANY or (self.shape.distributed and self.gpus.locality is None)

    @property
    def engine_spans(self) -> bool:
        """Whether the engine can run over several workers; cards without a model have no engine to ask."""
        return self.need is None or self.engine.name in SPANS_WORKERS

    def card_shapes(self, found: Sequence[Division]) -> tuple[CardShape, ...]:
        """Divisions of the model as what each card must hold."""
        return tuple(self._card_shape(each) for each in found)

    def _card_shape(self, division: Division) -> CardShape:
        tp, pp, least = division.tp, division.pp, self.gpus.memory_mib or 0 if self.gpus else 0
        return CardShape(
            division.cards,
            max(least, division.card_mib),
            tp,
            pp,
            division.dp,
            unit=tp if self.engine.name != "custom" else 1,  # a custom engine's cards are only a number
            splits=self.engine.tp is not None,
            headroom_mib=0 if self.engine.fraction is not None else headroom_mib(self.engine, tp, pp),
            overhead_mib=division.overhead_mib,
            gone_mib=gone_mib(tp, pp) if self.engine.divides_layers else 0,
        )

    def stays_together(self, shape: CardShape) -> bool:
        """Whether its tensor-parallel cards find room on one worker, or a flag lets them part."""
        return shape.unit <= self.widest or shape.splits
