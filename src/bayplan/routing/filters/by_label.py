"""Keep the endpoints whose label has one of some values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.parameter_checks import given, refuse

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class ByLabel:
    """Refuses an endpoint whose label has none of the valid values.

    Parameters:
        label: the label's key.
        valid_values: the values that are allowed; needed unless endpoints without the label are allowed.
        allows_no_label: whether an endpoint without the label is allowed.
    """

    label: str
    valid_values: tuple[str, ...] = ()
    allows_no_label: bool = False

    name = "by-label"
    reads = ("labels",)
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            given("label", self.label, "the key of a label"),
            given(
                "valid_values", self.valid_values or self.allows_no_label, "a list of values, or allowsNoLabel: true"
            ),
        )

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        allowed = {*self.valid_values, None} if self.allows_no_label else set(self.valid_values)
        return [labels.get(self.label) in allowed for labels in rows.labels]

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons(
            "label-mismatch",
            label=self.label,
            value=[labels.get(self.label, "absent") for labels in refused.labels],
            allowed=", ".join(self.valid_values),
            text="its label {label} is {value}; allowed: {allowed}",
        )
