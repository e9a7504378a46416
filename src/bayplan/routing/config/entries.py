"""The entries of `plugins` and `schedulingProfiles` as the framework reads them, and the default ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.document import PLUGIN, PROFILE, REFERENCE
from bayplan.routing.config.absence import without_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.registry import Registry

DEFAULT_PROFILE: Final = "default"
DEFAULT_WEIGHTS: Final = {"queue-scorer": 2.0, "kv-cache-utilization-scorer": 2.0, "prefix-cache-scorer": 3.0}
"""What decides where a configuration has neither plugins nor profiles."""

OWN_SCORER: Final = "prefill-cost-scorer"
"""What decides under our own policy."""

OWN_FILTER: Final = "decode-filter"
"""Our own policy sends whole requests, which endpoints for other stages alone cannot answer."""


def plugin_entries(entries: Any, registry: Registry) -> Any:
    """The entries without empty fields; what is no entry stays as it is, to be refused."""
    if not isinstance(entries, list | tuple):
        return entries
    return [_plugin(without_empty(PLUGIN, entry), registry) for entry in entries]


def profile_entries(entries: Any) -> Any:
    """The entries without empty fields."""
    if not isinstance(entries, list | tuple):
        return entries
    return [_profile(without_empty(PROFILE, entry)) for entry in entries]


def default_entries(*, own_policy: bool = False) -> tuple[list[Any], list[Any]]:
    """Plugins and profiles of a configuration that says nothing about either."""
    weights = {OWN_SCORER: 1.0} if own_policy else DEFAULT_WEIGHTS
    filters = [OWN_FILTER] if own_policy else []
    uses = [*({"pluginRef": name} for name in filters), *({"pluginRef": n, "weight": w} for n, w in weights.items())]
    return [{"type": name} for name in (*filters, *weights)], [{"name": DEFAULT_PROFILE, "plugins": uses}]


def _plugin(entry: Any, registry: Registry) -> Any:
    written = entry.get("type") if isinstance(entry, Mapping) else None
    if not isinstance(written, str) or written not in registry or "parameters" not in entry:
        return entry
    return {**entry, "parameters": without_empty(registry.find(written).parameters, entry["parameters"])}


def _profile(entry: Any) -> Any:
    uses = entry.get("plugins") if isinstance(entry, Mapping) else None
    if not isinstance(uses, list | tuple):
        return entry
    return {**entry, "plugins": [without_empty(REFERENCE, use) for use in uses]}


def profile_of_all(names: Sequence[str]) -> list[Any]:
    """The only profile of a configuration that has plugins and no profile."""
    return [{"name": DEFAULT_PROFILE, "plugins": [{"pluginRef": name} for name in names]}]
