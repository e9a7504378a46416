"""One reading of an engine: its metrics text to the values that decisions need."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import fsum, isfinite
from typing import TYPE_CHECKING, Final

from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.exposition.engine import LabelSpec
from bayplan.routing.exposition.family import MOST_SERIES, Exposition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.routing.exposition.engine import Engine, MetricSpec
    from bayplan.routing.exposition.family import Family, Series

_MOST_COUNT: Final = 2**53  # above it floats and JSON lose whole numbers
_WHOLE_NUMBER: Final = re.compile(r"([0-9]{1,15})(?:\.0*)?")
_RUNNING, _WAITING, _MOST = "running_lora_adapters", "waiting_lora_adapters", "max_lora"


@dataclass(frozen=True, slots=True)
class Loras:
    """Adapters that are loaded, and that wait to be; None where a label does not say."""

    active: tuple[str, ...] | None = None
    waiting: tuple[str, ...] | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says. None is unknown; `found` is false where it holds nothing of the engine."""

    waiting: float | None = None
    running: float | None = None
    kv_usage: float | None = None
    block_size: int | None = None
    blocks: int | None = None
    loras: Loras = field(default_factory=Loras)
    attributes: Mapping[str, float | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    found: bool = True

    @property
    def kv_token_capacity(self) -> int | None:
        """How many tokens the KV cache holds."""
        if self.block_size is None or self.blocks is None:
            return None
        tokens = self.block_size * self.blocks
        return tokens if tokens <= _MOST_COUNT else None

    @property
    def metrics(self) -> EngineMetrics:
        """The reading as the router takes it."""
        loras, known = self.loras, {key: value for key, value in self.attributes.items() if value is not None}
        return EngineMetrics(
            waiting=self.waiting,
            running=self.running,
            kv_usage=self.kv_usage,
            block_size=self.block_size,
            blocks=self.blocks,
            kv_token_capacity=self.kv_token_capacity or None,
            lora_active=frozenset(loras.active or ()),
            lora_waiting=frozenset(loras.waiting or ()),
            lora_max=loras.most or 0,
            attributes=known or None,
        )


def read_metrics(text: bytes, engine: Engine) -> Reading:
    """Read an exposition; whatever it holds, there is an answer."""
    return _Reader(text, engine).reading()


class _Reader:
    """Collects values and warnings of one text."""

    def __init__(self, text: bytes, engine: Engine) -> None:
        self._text, self._engine = Exposition(text), engine
        self._warnings: dict[str, None] = {}
        self._told: set[str] = set()  # metrics whose family was looked through for warnings
        self._found = False

    def reading(self) -> Reading:
        engine = self._engine
        waiting, running = self._sum(engine.waiting), self._sum(engine.running)
        usage = self._usage()
        block_size, blocks = self._number(engine.block_size, first=True), self._number(engine.blocks, first=False)
        loras = self._loras()
        attributes = {key: self._sum(spec) for key, spec in engine.attributes}
        if not self._found:
            self._warn(f"nothing of engine {engine.name} is in this text, which begins with {self._text.begins!r}")
        return Reading(
            waiting, running, usage, block_size, blocks, loras, attributes, tuple(self._warnings), self._found
        )

    def _warn(self, message: str) -> None:
        self._warnings[message] = None

    def _family(self, name: str) -> Family:
        family = self._text.family(name)
        if name not in self._told:
            self._told.add(name)
            if family.unreadable:
                self._warn(f"{name}: {family.unreadable} unreadable line{'s' * (family.unreadable > 1)} skipped")
            if family.declared:
                self._warn(f"{name}: it is declared as a {family.declared}, which is not read")
            if family.too_many:
                self._warn(f"{name}: more than {MOST_SERIES} series; it is unknown")
        return family

    def _series(self, spec: MetricSpec) -> list[Series]:
        """The series that a spec names; none where there are too many to know them all."""
        family = self._family(spec.name)
        wanted = spec.labels
        chosen = [each for each in family.series if not wanted or dict(wanted).items() <= each.labels.items()]
        self._found = self._found or bool(chosen)
        return [] if family.too_many else chosen

    def _values(self, spec: MetricSpec | None) -> list[float]:
        """The values of all its series; none where one of them cannot be."""
        values = [] if spec is None else [each.value for each in self._series(spec)]
        for value in values:
            if not (isfinite(value) and value >= 0):
                self._warn(f"{spec}: {value:g} cannot be; it is unknown")
                return []
        return values

    def _sum(self, spec: MetricSpec | None) -> float | None:
        values = self._values(spec)
        if not values:
            return None
        try:
            return fsum(values)
        except OverflowError:
            self._warn(f"{spec}: the sum is too large; it is unknown")
            return None

    def _usage(self) -> float | None:
        """The mean over ranks of the first metric that the text has."""
        spec = next((each for each in self._engine.usage if self._series(each)), None)
        values = self._values(spec)
        if not values:
            return None
        if max(values) > 1:
            self._warn(f"{spec}: {max(values):g} is more than 1, and counts as 1")
        return fsum(min(value, 1.0) for value in values) / len(values)

    def _number(self, spec: MetricSpec | LabelSpec | None, *, first: bool) -> int | None:
        """A whole number: that of the first series, or the sum of all."""
        if isinstance(spec, LabelSpec):
            return self._label_number(spec, first=first)
        values = self._values(spec)
        if not values:
            return None
        found = values[0] if first else fsum(values)
        if not found.is_integer() or found > _MOST_COUNT or (first and found < 1):
            self._warn(f"{spec}: {found:g} is no such number; it is unknown")
            return None
        return int(found)

    def _label_number(self, spec: LabelSpec, *, first: bool) -> int | None:
        series = self._series(spec.metric)
        written = [_written(each.labels, spec.labels) for each in (series[:1] if first else series)]
        numbers = [_whole(each) for each in written]
        known = [each for each in numbers if each is not None]
        if not numbers or len(known) < len(numbers) or (first and known[0] < 1) or sum(known) > _MOST_COUNT:
            wrong = next((text for text, each in zip(written, numbers, strict=True) if each is None and text), None)
            if wrong is not None:
                self._warn(f"{spec.metric}: {spec.labels[0]} {wrong[:40]!r} is no number; it is unknown")
            return None
        return sum(known)

    def _loras(self) -> Loras:
        """The adapters, of the series with the largest value, which is the time of its last change."""
        spec = self._engine.loras
        values = self._values(spec)
        if spec is None or not values:
            return Loras()
        labels = self._series(spec)[values.index(max(values))].labels
        return Loras(_names(labels.get(_RUNNING)), _names(labels.get(_WAITING)), _whole(labels.get(_MOST)))


def _written(labels: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((labels[name] for name in names if name in labels), None)


def _whole(text: str | None) -> int | None:
    """A whole number of at most 15 digits, which every reader of JSON keeps exactly."""
    found = None if text is None else _WHOLE_NUMBER.fullmatch(text.strip())
    return None if found is None else int(found[1])


def _names(listed: str | None) -> tuple[str, ...] | None:
    """Names between commas, each once."""
    if listed is None:
        return None
    return tuple(dict.fromkeys(name for each in listed.split(",") if (name := each.strip())))
