"""Prefer the endpoint with more, or less, of a number that somebody measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import Problem
from bayplan.framework.plugins import Depends
from bayplan.routing.factors.parameter_checks import given, refuse

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class FixedRange:
    """The values that score 0 and 1, or 1 and 0.

    Parameters:
        min: the lower end.
        max: the upper end.
    """

    min: float
    max: float


@dataclass(frozen=True, slots=True)
class AdaptiveRange:
    """The range of the candidates' own values."""


@dataclass(frozen=True, slots=True)
class Normalization:
    """Which range of values becomes scores.

    Parameters:
        fixed_range: always the same one; values outside are held to its ends.
        adaptive_range: that of the candidates; this is the default.
    """

    fixed_range: FixedRange | None = None
    adaptive_range: AdaptiveRange | None = None

    def __post_init__(self) -> None:
        fixed = self.fixed_range
        if fixed is not None and not fixed.min < fixed.max:
            message = f"its min {fixed.min} is not below its max {fixed.max}"
            refuse(Problem("fixed_range", message, "give a min that is smaller"))
        if fixed is not None and self.adaptive_range is not None:
            refuse(Problem("fixed_range", "stands beside adaptiveRange", "give one of them"))


@dataclass(frozen=True, slots=True)
class LinearAlgorithm:
    """How a value becomes a score.

    Parameters:
        type: whether low or high values are better.
        normalization: which range of values becomes scores.
    """

    type: Literal["linear_lower_is_better", "linear_higher_is_better"] = "linear_lower_is_better"
    normalization: Normalization = field(default_factory=Normalization)


@dataclass(frozen=True, slots=True)
class EndpointAttributeScorer:
    """Scores where an attribute of the endpoint lies in a range: (value − min) / (max − min), or 1 minus that.

    Where all candidates have the same value it is 1; an endpoint without the attribute scores 0.

    Parameters:
        attribute_key: the attribute's name.
        attribute: the same under another name.
        producer: who measures it; for readers, it has no effect.
        algorithm: what is better, and the range.
    """

    attribute_key: str = ""
    attribute: str = ""
    producer: str = ""
    algorithm: LinearAlgorithm = field(default_factory=LinearAlgorithm)

    name = "endpoint-attribute-scorer"
    reads = ("attributes",)
    depends = Depends.TABLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(given("attribute_key", self.attribute_key or self.attribute, "the name of an attribute"))

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        key = self.attribute_key or self.attribute
        values = [attributes.get(key) for attributes in rows.attributes]
        known = [value for value in values if value is not None]
        if not known:
            return [0.0] * rows.size
        fixed = self.algorithm.normalization.fixed_range
        low, high = (min(known), max(known)) if fixed is None else (fixed.min, fixed.max)
        return [0.0 if value is None else self._scored(value, low, high) for value in values]

    def _scored(self, value: float, low: float, high: float) -> float:
        if low == high:
            return 1.0
        place = min(1.0, max(0.0, (value - low) / (high - low)))
        return 1.0 - place if self.algorithm.type == "linear_lower_is_better" else place
