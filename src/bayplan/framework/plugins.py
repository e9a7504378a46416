"""The protocols that a plugin may follow, and the small values that pass between it and the framework.

A plugin is any object with the attributes below; nothing has to be inherited. It names the columns it reads,
and from that the framework derives what its answer depends on. What it must say itself, with `depends`, is only
that it looks at the cycle (`CYCLE`) or at other rows (`TABLE`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.outcome import Decision, Outcome, RunResult
    from bayplan.framework.profile import Profile, Weighted
    from bayplan.framework.row_delta import RowDelta
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable

BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.intp]
Column: TypeAlias = Any  # an array whose first axis is the row, or a list, or a value shared by all rows
Mask: TypeAlias = BoolArray | list[bool]
Scores: TypeAlias = npt.NDArray[Any] | list[float]
Writes: TypeAlias = "Mapping[int, Mapping[str, Any] | RowDelta]"  # by row, what `write` takes


class Depends(IntEnum):
    """What an answer depends on, from the steadiest to the most fleeting.

    STATIC and ROW are derived from the columns read; CYCLE (the clock, chance, the subject's identity, earlier
    results, a plugin's own state) and TABLE (other rows) are declared. The order is also the order of addition.
    """

    STATIC = 0
    ROW = 1
    CYCLE = 2
    TABLE = 3


class Prepared(Enum):
    """What a plugin's `prepare` may answer; None says that the plugin takes part."""

    SKIP = "skip"


SKIP: Final = Prepared.SKIP
"""Answered by `prepare`: the plugin has nothing to do in this run and is not called."""


@dataclass(frozen=True, slots=True)
class Want:
    """How many rows a run should pick: `desired`, or at least `minimum`; all of one group where `group` is a column.

    `Want(0)` is valid: the run picks nothing, and that is a success. Of groups with enough rows the one is taken whose
    best row is best; `ranked_by` names scorers (or `Weighted` ones) that rank groups instead. They are shown the best
    row of each group, and may read `group_rows_left`, the number of its rows that passed, and `group_sum_NAME`, the
    sum of the column NAME over the best `desired` rows of the group.
    """

    desired: int = 1
    minimum: int = 1
    group: str | None = None
    ranked_by: tuple[Weighted | Scorer, ...] = ()

    def __post_init__(self) -> None:
        if self.desired == 0 and self.minimum == 1:
            object.__setattr__(self, "minimum", 0)  # the default of who wants nothing
        least = 1 if self.desired else 0
        if not least <= self.minimum <= self.desired:
            message = f"{self.minimum} is not between {least} and the {self.desired} desired"
            raise InputError(message, place="want.minimum", next="want at least one row, and no more than desired")
        ranked_by: Any = self.ranked_by
        if not isinstance(ranked_by, tuple):
            step = "give a tuple of scorers, as in ranked_by=(scorer,)"
            raise InputError(f"{ranked_by!r} is no tuple", place="want.ranked_by", next=step)
        if ranked_by and self.group is None:
            raise InputError("there are no groups to rank", place="want.ranked_by", next="name the column `group`")


ONE = Want()


@dataclass(frozen=True, slots=True)
class Run:
    """One profile to be run now, under a name of its own so that a profile may run several times in a cycle.

    `answer` is what the handler would decide if this run picks, where nothing else could change that: then it is
    asked neither for further runs nor for the decision. Runs that were returned together with it are run all the same.
    """

    profile: str
    name: str = ""
    ask: Hashable = None
    candidates: str | None = None
    want: Want | None = None
    answer: Decision | None = None

    @property
    def key(self) -> str:
        return self.name or self.profile


class Resolution(NamedTuple):
    """What a picked row means: a value for the caller, and by row the cells as they would be once it is booked."""

    value: Any
    writes: Writes


@runtime_checkable
class Filter(Protocol):
    """Takes rows away. Row by row, unless it declares `depends = Depends.TABLE`.

    `explain(ask, rows, cycle) -> Reasons` is optional: it is called with refused rows only, so it cannot disagree
    with the mask on *whether*; without it the code is the plugin's name. Columns that only `explain` looks at stand
    in `explain_reads`, so that deciding does not pay for them. `required = True` says that the filter
    protects something and is never skipped, even where the configuration skips broken plugins. `unread(ask)`, optional
    for every kind of plugin, names the columns of its `reads` that cannot change its answer to this ask;
    `unread_in_cycle(ask, cycle)` does so for this cycle. `cured_by`, optional, is a tuple of
    the events that could cure its refusal, or a method of the ask that gives one; event names belong to the user of the
    framework. Without it the events follow from the columns that it reads (`evaluation/cures.py`).
    `prepare(ask, table, cycle)` is optional for filters, scorers and producers; `Preparing` describes it.
    """

    @property
    def name(self) -> str: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    def mask(self, ask: Any, rows: Rows, cycle: Cycle) -> Mask: ...


@runtime_checkable
class Scorer(Protocol):
    """Puts a number on each row, in [0, 1]; `scale = 100` says that it answers in [0, 100] instead.

    `note(ask, rows, cycle) -> list[str]` is optional: what explanations say beside the score of each row, empty where
    there is nothing to say (which parts are not known, say). Columns that only it looks at stand in `explain_reads`.
    """

    @property
    def name(self) -> str: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    def score(self, ask: Any, rows: Rows, cycle: Cycle) -> Scores: ...


@runtime_checkable
class Producer(Protocol):
    """Makes columns from columns, before any filter runs; kept per class where it reads static columns only."""

    @property
    def name(self) -> str: ...

    @property
    def reads(self) -> tuple[str, ...]: ...

    @property
    def produces(self) -> tuple[str, ...]: ...

    def produce(self, ask: Any, rows: Rows, cycle: Cycle) -> Mapping[str, Column]: ...


class Preparing(Protocol):
    """A filter, scorer or producer that is asked once, before a run, whether it takes part in it.

    SKIP: it has nothing to do and is not called; None: it takes part. A CYCLE or TABLE plugin may look at the table
    and the cycle, and may put what it worked out into the cycle (`cycle.put`). The answers of STATIC and ROW plugins
    are kept per class of asks, so their `prepare` is given a closed cycle, and of the table its schema and constants
    only. It is asked again where the run is explained.
    """

    def prepare(self, ask: Any, table: Any, cycle: Cycle) -> Literal[Prepared.SKIP] | None: ...


@runtime_checkable
class Picker(Protocol):
    """Chooses among the rows that are left, best first. It is never called when there are none."""

    @property
    def name(self) -> str: ...

    def pick(self, totals: Totals, want: Want, cycle: Cycle) -> Sequence[int]: ...


@runtime_checkable
class ProfileHandler(Protocol):
    """Says which profiles run next in the light of the results so far, and what the results mean."""

    @property
    def name(self) -> str: ...

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]: ...

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision: ...


class CandidateSource(Protocol):
    """Makes the table that a profile's run looks at, where that is not the table of the cycle."""

    @property
    def name(self) -> str: ...

    def candidates(self, ask: Any, table: AnyTable, cycle: Cycle) -> AnyTable: ...


class Resolver(Protocol):
    """Turns a picked row into what the caller needs (devices, say); the framework does not look inside."""

    @property
    def name(self) -> str: ...

    def resolve(self, ask: Any, table: AnyTable, row: int, cycle: Cycle) -> Resolution: ...


class Compiler(Protocol):
    """Compiles the loop over changed rows of profiles whose row plugins all have twins.

    The text defines functions of numbers and arrays in plain Python, each below the decorator `compiled`, and uses
    `inf` and `nan`; the function `redo` is handed back, or None where it cannot be compiled. It must give what plain
    Python gives, bit for bit: the same order of operations, no fast maths. `after` says how many redos of changed rows
    a profile sees before compiling pays. `compile` is asked once more, `afresh`, where calling what it gave raised an
    error: what a compiler kept of an earlier process may be damaged.
    """

    @property
    def after(self) -> int: ...

    def compile(self, text: str, *, afresh: bool = False) -> Callable[..., Any] | None: ...


class Observer(Protocol):
    """Watches cycles from outside: metrics, timing, records. The core itself neither logs nor looks at a clock."""

    @property
    def attentive(self) -> bool:
        """Whether it wants to hear of the calls of plugins now; it may change between two decisions, never in one."""
        ...

    def before(self, kind: str, plugin: str, rows: int) -> None: ...

    def after(self, kind: str, plugin: str, rows: int) -> None: ...

    def clamped(self, plugin: str, count: int) -> None: ...

    def skipped(self, plugin: str, problem: str) -> None: ...

    def decided(self, outcome: Outcome) -> None: ...


class Watch:
    """An observer that ignores everything: a base for observers that care about one thing only."""

    attentive: bool = True
    """One that samples is attentive in some decisions only; in the others it costs next to nothing."""

    def before(self, kind: str, plugin: str, rows: int) -> None:
        """A plugin is about to be called."""

    def after(self, kind: str, plugin: str, rows: int) -> None:
        """The call has come back, or failed."""

    def clamped(self, plugin: str, count: int) -> None:
        """A scorer left its range on `count` rows."""

    def skipped(self, plugin: str, problem: str) -> None:
        """A broken plugin was left out of a run."""

    def decided(self, outcome: Outcome) -> None:
        """A cycle has ended."""
