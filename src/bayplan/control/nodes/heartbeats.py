"""When each worker was last heard, and where its logs are: kept in memory, so that a heartbeat writes nothing."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.control.observing import UNOBSERVED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bayplan.control.clock import Clock
    from bayplan.control.observing import LoopObserver

SILENCE_S = 40.0
"""A worker that was not heard for this long counts as gone: four heartbeats of ten seconds, as in Kubernetes."""
_MOST_DISMISSED = 10_000  # that are remembered, the newest


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker tells: who it is, where it serves logs, and what it measured; `leaving` where it is stopping."""

    id: str = ""
    address: str = ""
    secret: str = field(default="", repr=False)
    certificate: str = field(default="", repr=False)
    measurements: Mapping[str, Any] | None = None
    leaving: bool = False


@dataclass(slots=True)
class _Heard:
    at_s: float
    beat: Beat | None = None  # None while a worker is expected and has not been heard since the start


class Heartbeats:
    """Last-seen times of workers: a beat moves one entry, and finding silent workers looks at those alone.

    Listeners are told the name of a worker that is heard for the first time, again after a silence, or that leaves.
    """

    def __init__(self, clock: Clock, observer: LoopObserver = UNOBSERVED) -> None:
        self._clock, self._observer = clock, observer
        self._living: OrderedDict[str, _Heard] = OrderedDict()  # the longest silence first
        self._silent: dict[str, _Heard] = {}
        self._dismissed: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._listeners: list[Callable[[str], None]] = []

    def listen(self, listener: Callable[[str], None]) -> None:
        self._listeners.append(listener)

    def expect(self, name: str) -> None:
        """Count a worker's silence from now on, unless it was heard before."""
        if self._of(name) is None:
            self._living[name] = _Heard(self._clock())

    def forget(self, name: str) -> None:
        """Expect nothing of a worker any more."""
        self._living.pop(name, None)
        self._silent.pop(name, None)

    def dismiss(self, name: str, identity: str) -> None:
        """Forget a worker whose Node was removed, and remember that it is not wanted."""
        self.forget(name)
        self._dismissed[name, identity] = None
        if len(self._dismissed) > _MOST_DISMISSED:
            self._dismissed.popitem(last=False)

    def welcome(self, name: str, identity: str) -> None:
        """Expect a worker that has registered, also one that was dismissed before."""
        self._dismissed.pop((name, identity), None)
        self.forget(name)
        self.expect(name)

    def is_dismissed(self, name: str, identity: str) -> bool:
        """Whether the Node of this worker was removed since it registered."""
        return (name, identity) in self._dismissed

    def beat(self, name: str, beat: Beat | None = None) -> None:
        """A worker lives; a plain beat keeps what it told before."""
        self._observer.heartbeat()
        heard = self._of(name) or _Heard(0.0)
        before = heard.beat
        heard.at_s, heard.beat = self._clock(), beat or before or Beat()
        news = before is None or before.leaving != heard.beat.leaving or name in self._silent
        self._silent.pop(name, None)
        self._living[name] = heard
        self._living.move_to_end(name)
        if news:
            for listener in self._listeners:
                listener(name)

    def last_s(self, name: str) -> float | None:
        """When a worker was heard, or first expected; None where it is not known."""
        heard = self._of(name)
        return None if heard is None else heard.at_s

    def told(self, name: str) -> Beat | None:
        """What a worker told last; None where it was not heard since the start."""
        heard = self._of(name)
        return None if heard is None else heard.beat

    def is_silent(self, name: str) -> bool:
        """Whether a worker was found to be silent and was not heard since."""
        return name in self._silent

    @property
    def silent(self) -> int:
        """How many workers are silent."""
        return len(self._silent)

    @property
    def expected(self) -> int:
        """How many workers are to be heard."""
        return len(self._silent) + len(self._living)

    def fall_silent(self, silence_s: float) -> list[str]:
        """Workers that were not heard for that long; each is named once, until it is heard again."""
        limit_s = self._clock() - silence_s
        found = []
        for name, heard in self._living.items():
            if heard.at_s > limit_s:
                break
            found.append(name)
        for name in found:
            self._silent[name] = self._living.pop(name)
        return found

    def measured(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """What living workers measured last."""
        for name, heard in self._living.items():
            if heard.beat is not None and heard.beat.measurements:
                yield name, heard.beat.measurements

    def _of(self, name: str) -> _Heard | None:
        return self._living.get(name) or self._silent.get(name)
