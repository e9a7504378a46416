"""Keep the endpoints of which a measured number is within a threshold."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.parameter_checks import given, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest

_HOLDS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "LessThan": operator.lt,
    "LessThanOrEqual": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqual": operator.ge,
    "Equal": operator.eq,
    "NotEqual": operator.ne,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """What is demanded of the number.

    Parameters:
        operator: how the number must compare with the value.
        value: the value.
    """

    operator: Literal["LessThan", "GreaterThan", "LessThanOrEqual", "GreaterThanOrEqual", "Equal", "NotEqual"]
    value: float


@dataclass(frozen=True, slots=True)
class ThresholdAlgorithm:
    """How the number is judged.

    Parameters:
        threshold: an operator and a value.
        type: `threshold`, the only one.
    """

    threshold: Threshold
    type: Literal["threshold"] = "threshold"


@dataclass(frozen=True, slots=True)
class EndpointAttributeFilter:
    """Refuses an endpoint whose attribute does not meet a threshold.

    Parameters:
        algorithm: the threshold.
        attribute: the attribute's name.
        attribute_key: the same under another name.
        producer: who measures it; for readers, it has no effect.
        on_missing: whether an endpoint without the attribute passes, `Pass` or `Fail`.
        fallback_on_empty: whether all are kept where none passes.
    """

    algorithm: ThresholdAlgorithm
    attribute: str = ""
    attribute_key: str = ""
    producer: str = ""
    on_missing: Literal["Pass", "Fail"] = "Pass"
    fallback_on_empty: bool = False

    name = "endpoint-attribute-filter"
    reads = ("attributes",)
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(given("attribute", self.attribute or self.attribute_key, "the name of an attribute"))

    @property
    def depends(self) -> Depends:
        return Depends.TABLE if self.fallback_on_empty else Depends.STATIC  # the fallback looks at all candidates

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        mask = [self._passes(attributes.get(self._key)) for attributes in rows.attributes]
        return [True] * rows.size if self.fallback_on_empty and not any(mask) else mask

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons(
            "attribute",
            key=self._key,
            value=[attributes.get(self._key, "unknown") for attributes in refused.attributes],
            operator=self.algorithm.threshold.operator,
            limit=self.algorithm.threshold.value,
            text="its attribute {key} is {value}; it must be: {operator} {limit}",
        )

    @property
    def _key(self) -> str:
        return self.attribute or self.attribute_key

    def _passes(self, value: float | None) -> bool:
        if value is None:
            return self.on_missing == "Pass"
        return _HOLDS[self.algorithm.threshold.operator](value, self.algorithm.threshold.value)
