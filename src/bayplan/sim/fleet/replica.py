"""One Pod on a simulated worker, from its start to its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.control.store import Key, Object
    from bayplan.sim.fleet.worker import SimulatedWorker


class Stage(Enum):
    """What a replica does.

    CREATED ──► LOADING ──► READY ──► OVER          OVER: succeeded or failed, for good
       ▲           │          │
       └─ BACK_OFF ◄──crash───┘                     GONE: its deletion is being finished
    """

    CREATED = "created"
    LOADING = "loading"
    READY = "ready"
    BACK_OFF = "back-off"
    OVER = "over"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class CardsInUse:
    """The cards of a replica with the MiB of each, and how busy it keeps them; `chance` shifts a cyclic use."""

    cards: tuple[tuple[tuple[str, int], int], ...]
    percent: float
    chance: float
    cyclic: bool


@dataclass(slots=True, eq=False)
class Replica:
    """`turn` grows with every change of the stage: an alarm that was set before is out of date."""

    key: Key
    uid: str
    worker: SimulatedWorker
    address: str
    stage: Stage = Stage.CREATED
    turn: int = 0
    created_s: float = 0.0
    began_s: float = 0.0
    ended_s: float = 0.0
    restarts: int = 0
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    hangs: bool = False
    stopping: bool = False
    used: CardsInUse | None = None

    def enter(self, stage: Stage) -> int:
        """Go on to a stage; its turn."""
        self.stage = stage
        self.turn += 1
        return self.turn

    @property
    def runs(self) -> bool:
        """Whether its container runs."""
        return self.stage in (Stage.LOADING, Stage.READY)


def ends_by_itself(pod: Object) -> bool:
    """Whether a Pod is work with an end, as the Pods of Jobs are, and no server."""
    return bool(pod["spec"].get("restartPolicy", "Always") != "Always")
