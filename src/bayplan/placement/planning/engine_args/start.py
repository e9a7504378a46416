"""What is known of a replica that is about to be started."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bayplan.sizing.engine import flags_of
from bayplan.sizing.margins import gone_mib, headroom_mib

if TYPE_CHECKING:
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.decision.placed import Placed
    from bayplan.placement.planning.card_states import CardState
    from bayplan.sizing.need import Need


@dataclass(frozen=True)
class Start:
    """A replica with a sized model on its cards; `cards` are as it finds them, without MIG instances."""

    sized: SizedRole
    need: Need
    placed: Placed
    cards: tuple[CardState, ...] = ()

    @cached_property
    def given(self) -> frozenset[str]:
        """The meanings of the flags that the user gave, under whatever name."""
        backend = self.sized.shape.backend
        return frozenset() if backend is None else frozenset(flags_of(backend))

    @property
    def concurrency_given(self) -> bool:
        model = self.sized.shape.model
        return model is not None and model.concurrency is not None

    @property
    def kv_dtype(self) -> str | None:
        """The kind of KV cache that the workload names."""
        model = self.sized.shape.model
        return None if model is None else model.kv_dtype

    @property
    def overhead_mib(self) -> int:
        return self.need.overhead_on(self.placed.shape.tp, self.placed.shape.pp)

    @property
    def headroom_mib(self) -> int:
        return headroom_mib(self.sized.engine, self.placed.shape.tp, self.placed.shape.pp)

    @property
    def gone_mib(self) -> int:
        return gone_mib(self.placed.shape.tp, self.placed.shape.pp)
