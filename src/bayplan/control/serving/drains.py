"""When a server replica that is drained may go: its models are elsewhere, or nobody else can take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.serving_booking import HERE, LoadState
from bayplan.library.status.documents import part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LIMIT_S = 300.0
"""A replica goes after this time, whatever it still holds."""
_HERE = frozenset(each.value for each in HERE)
_LEAVING = frozenset({LoadState.UNLOAD_REQUESTED.value, LoadState.UNLOADING.value})


def may_go(row: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether nothing is served by it that will soon be served elsewhere; `rows` are all of its namespace."""
    own = _models(row)
    if any(each.get("state") in _HERE or each.get("state") in _LEAVING for each in own):
        return False
    serving = {each.get("model") for each in own if each.get("state") == LoadState.DRAINING}
    if not serving:
        return True
    others = (each for other in rows if other["metadata"]["uid"] != row["metadata"]["uid"] for each in _models(other))
    return not any(each.get("model") in serving and each.get("state") in _HERE for each in others)


def _models(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return part(row, "spec").get("models") or []
