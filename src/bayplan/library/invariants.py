"""What must always hold of a cluster, checked on its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import GangKey
from bayplan.cluster.invariants import check
from bayplan.cluster.ledger import Ledger
from bayplan.library.documents import documents_of
from bayplan.manifests.inventory.inventory import read_inventory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INVARIANTS = {
    "I1": "no card, MIG instance or memory is given out beyond what there is",
    "I2": "a replica is placed at most once",
    "I3": "a gang is placed as a whole or not at all",
    "I13": "what is booked is the sum of what is bound",
}
"""The invariants that are checked, by the numbers under which they are known."""


def check_invariants(cluster: object, groups: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """`{invariants: [{id, ok, violations, says}], warnings}` about a cluster in any dialect; `groups` are PodGroups."""
    inventory = read_inventory(documents_of(cluster, "cluster"))
    found = check(Ledger.of(inventory.cluster, gangs=_minimums(groups)))
    return {
        "invariants": [
            {
                "id": number,
                "ok": not any(each.id == number for each in found),
                "violations": [f"{each.place}: {each.message}" for each in found if each.id == number],
                "says": says,
            }
            for number, says in INVARIANTS.items()
        ],
        "warnings": list(inventory.warnings),
    }


def _minimums(groups: Iterable[Mapping[str, Any]]) -> dict[GangKey, int]:
    """The least number of members of each gang that says one."""
    found = {}
    for each in groups:
        metadata, least = each["metadata"], (each.get("spec") or {}).get("minMember")
        if isinstance(least, int):
            found[GangKey(metadata.get("namespace", "default"), metadata["name"])] = least
    return found
