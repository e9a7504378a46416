"""One scheduling cycle: who asks, when, with which chance, and what is known so far."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from bayplan.framework.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from bayplan.framework.outcome import RunResult

T = TypeVar("T")
D = TypeVar("D")

_MASK = 0xFFFFFFFFFFFFFFFF  # 64 bits: the mixer below counts modulo 2**64, and Python's numbers do not end there


class Key(Generic[T]):
    """A typed key of the cycle's state; two keys are equal only if they are the same object."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Key({self.name!r})"


class Cycle:
    """Lives as long as one call of `schedule`.

    Time and chance are arguments, so a recorded cycle replays. `results` holds the runs of *earlier* picks of the
    handler: runs that were returned together do not see each other.
    """

    __slots__ = ("_draws", "_run", "_state", "_stream", "ask", "now", "results", "seed", "subject")

    def __init__(self, subject: Any, ask: Hashable, *, seed: int = 0, now: float = 0.0) -> None:
        self.subject = subject
        self.ask = ask
        self.seed = seed
        self.now = now
        self.results: Mapping[str, RunResult] = {}
        self._state: dict[Key[Any], Any] | None = None  # made by the first `put`: most cycles keep nothing
        self._draws = self._run = self._stream = 0

    def put(self, key: Key[T], value: T) -> None:
        """Keep a value for the rest of this cycle."""
        if self._state is None:
            self._state = {}
        self._state[key] = value

    @overload
    def get(self, key: Key[T]) -> T | None: ...

    @overload
    def get(self, key: Key[T], default: D) -> T | D: ...

    def get(self, key: Key[T], default: D | None = None) -> T | D | None:
        """The value kept under this key in this cycle."""
        return default if self._state is None else self._state.get(key, default)

    def chance(self, choices: int) -> int:
        """A number below `choices`, drawn from the cycle's seed: the n-th draw of a plugin in a run is always the same.

        The mixer is SplitMix64, whose constants these are: building a `Random` costs several microseconds, a fifth of a
        routing cycle. Stream and run move its state by amounts of their own, so that their draws differ.
        """
        self._draws += 1
        stream = (self._stream << 32) + self._run * 0xD1B54A32D192ED03  # odd, so that runs stay apart modulo 2**64
        mixed = (self.seed + stream + self._draws * 0x9E3779B97F4A7C15) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        # the high half of the product: in [0, choices) without a division
        return ((mixed ^ (mixed >> 31)) * choices) >> 64

    def random(self) -> Random:
        """A generator seeded by this cycle, for plugins that need more than one draw."""
        return Random(self.chance(1 << 62))  # noqa: S311 (reproducible on purpose)

    def enter(self, run: int) -> None:
        """The run of this number begins; its draws are its own."""
        self._run = run

    def draw_from(self, stream: int, run: int | None = None) -> None:
        """Begin a plugin's own stream of chance, so that explaining draws what deciding drew."""
        if run is not None:
            self._run = run
        self._stream = stream
        self._draws = 0


class _Closed:
    """What folded plugins get for a cycle: their answers are kept, so they may not depend on it."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself probes such names, and expects AttributeError where they are missing
            raise AttributeError(name)
        raise PluginError(
            "?",
            f"looks at cycle.{name}, but its answers are kept from cycle to cycle",
            next="declare `depends = Depends.CYCLE`",
        )


CLOSED: Any = _Closed()
