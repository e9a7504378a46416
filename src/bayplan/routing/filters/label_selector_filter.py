"""Keep the endpoints whose labels a selector matches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import Problem
from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.parameter_checks import given, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class LabelExpression:
    """One demand on a label.

    Parameters:
        key: the label.
        operator: what is demanded of it.
        values: for In and NotIn.
    """

    key: str
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse(given("key", self.key, "the key of a label"))
        if (self.operator in ("In", "NotIn")) != bool(self.values):
            message = "are needed" if not self.values else "have no meaning here"
            refuse(Problem("values", f"{message}: the operator is {self.operator}", "give values to In and NotIn only"))

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet the demand; an absent label is not in any list."""
        value = labels.get(self.key)
        if self.operator == "In":
            return value in self.values
        if self.operator == "NotIn":
            return value not in self.values
        return (value is not None) == (self.operator == "Exists")


@dataclass(frozen=True, slots=True)
class LabelSelectorFilter:
    """Refuses an endpoint whose labels the selector does not match. All demands must hold.

    Parameters:
        match_labels: labels with the values that they must have.
        match_expressions: demands on labels, each with `key`, `operator` and `values`.
    """

    match_labels: Mapping[str, str] = field(default_factory=dict)
    match_expressions: tuple[LabelExpression, ...] = ()

    name = "label-selector-filter"
    aliases = ("by-label-selector",)
    reads = ("labels",)
    storages = ("lists",)

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        return [self._matches(labels) for labels in rows.labels]

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons("label-mismatch", text="its labels do not match the selector")

    def _matches(self, labels: Mapping[str, str]) -> bool:
        if any(labels.get(key) != value for key, value in self.match_labels.items()):
            return False
        return all(each.holds(labels) for each in self.match_expressions)
