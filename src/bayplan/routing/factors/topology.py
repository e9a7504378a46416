"""How near two endpoints are: by the labels of host, rack, zone and region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle

Level: TypeAlias = Literal["host", "rack", "zone", "region"]

LABELS: Final[Mapping[Level, str]] = {
    "host": "kubernetes.io/hostname",
    "rack": "topology.kubernetes.io/rack",
    "zone": "topology.kubernetes.io/zone",
    "region": "topology.kubernetes.io/region",
}
"""From the tightest level to the widest."""

TIGHTNESS: Final[Mapping[Level | None, int]] = {None: 0, "region": 1, "zone": 2, "rack": 3, "host": 4}


def nearest_level(labels: Mapping[str, str], others: Mapping[str, str]) -> Level | None:
    """The tightest level whose label both have with the same value; None: no level is known to be shared."""
    for level, label in LABELS.items():
        value = labels.get(label)
        if value and value == others.get(label):
            return level
    return None


def decode_labels(cycle: Cycle) -> Mapping[str, str] | None:
    """The labels of the endpoint that the decode stage picked; None where no run before this one picked.

    Handlers run the decode stage first, so it is the first of the results.
    """
    first = next(iter(cycle.results.values()), None)
    if first is None or not first.picked:
        return None
    labels: Any = first.table.columns["labels"][first.picked[0].row]
    found: Mapping[str, str] = labels
    return found
