"""Keep the endpoints whose label has one of some values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin
from bayplan.routing.factors.parameter_checks import given, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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
    _allowed: frozenset[str | None] = field(init=False, repr=False)

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

        allowed = frozenset((*self.valid_values, None) if self.allows_no_label else self.valid_values)
        object.__setattr__(self, "_allowed", allowed)

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        return [_is_allowed(self.label, self._allowed, labels) for labels in rows.labels]

    def twin(self, ask: RoutedRequest, shared: Mapping[str, Any]) -> Twin:
        return Twin(_is_allowed, (self.label, self._allowed))

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons(
            "label-mismatch",
            label=self.label,
            value=[labels.get(self.label, "absent") for labels in refused.labels],
            allowed=", ".join(self.valid_values),
            text="its label {label} is {value}; allowed: {allowed}",
        )


def _is_allowed(label: str, allowed: frozenset[str | None], labels: Mapping[str, str]) -> bool:
    return labels.get(label) in allowed
