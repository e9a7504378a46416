"""All metrics of a process: what is counted while it runs, and what is asked for when they are written."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from bayplan.telemetry.metrics import catalogue
from bayplan.telemetry.metrics.definition import Kind
from bayplan.telemetry.metrics.exposition import ending, heading
from bayplan.telemetry.metrics.families import Counter, Gauge, Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bayplan.telemetry.metrics.definition import Definition
    from bayplan.telemetry.metrics.exposition import Style

_log = logging.getLogger("bayplan.telemetry")


class Family(Protocol):
    """All series of a metric, as text in one or more pieces; each piece is made without a pause."""

    about: Definition
    dropped: int

    def lines(self) -> Iterator[str]: ...


_KINDS: dict[Kind, type[Counter | Gauge | Histogram]] = {
    Kind.COUNTER: Counter,
    Kind.GAUGE: Gauge,
    Kind.HISTOGRAM: Histogram,
}


class Metrics:
    """Every metric of a catalogue, each there from the start, also where nothing has been counted.

    A catalogue must have the metrics about metrics themselves: `catalogue.SOURCE_ERRORS` and `DROPPED_SERIES`.
    """

    def __init__(self, definitions: Iterable[Definition] = catalogue.ALL) -> None:
        self._families: dict[str, Family] = {each.name: _KINDS[each.kind](each) for each in definitions}
        self._sources: dict[str, Callable[[], None]] = {}

    def counter(self, about: Definition) -> Counter:
        family = self._families[about.name]
        assert isinstance(family, Counter)  # noqa: S101 (by its definition)
        return family

    def gauge(self, about: Definition) -> Gauge:
        family = self._families[about.name]
        assert isinstance(family, Gauge)  # noqa: S101 (by its definition)
        return family

    def histogram(self, about: Definition) -> Histogram:
        family = self._families[about.name]
        assert isinstance(family, Histogram)  # noqa: S101 (by its definition)
        return family

    def instead(self, family: Family) -> None:
        """Have a metric written by a family of another kind, such as one that keeps its text."""
        self._families[family.about.name] = family

    def ask(self, name: str, source: Callable[[], None]) -> None:
        """Call a source before each scrape: it sets gauges to what they are now. It must not wait or block."""
        self._sources[name] = source

    def pieces(self, style: Style) -> Iterator[str]:
        """The text, piece by piece: who writes it may do other things in between."""
        for name, source in self._sources.items():
            self._asked(name, source)
            yield ""
        dropped = self.counter(catalogue.DROPPED_SERIES)
        for family in self._families.values():
            if family.dropped:
                dropped.reach(family.dropped, family.about.name)
            yield heading(family.about, style)
            yield from family.lines()
        yield ending(style)

    def text(self, style: Style) -> str:
        """All of it at once."""
        return "".join(self.pieces(style))

    def _asked(self, name: str, source: Callable[[], None]) -> None:
        """A source that fails costs its own gauges and not the whole scrape."""
        try:
            source()
        except Exception as error:
            _log.warning("metrics: %s failed: %s", name, type(error).__name__, exc_info=error)
            self.counter(catalogue.SOURCE_ERRORS).add(name)
