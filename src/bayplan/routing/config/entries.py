"""The entries of `plugins` and `schedulingProfiles` as the framework reads them: long names, nothing empty."""

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

_LEFT_OUT: Final = ("-picker", "-handler")


def plugin_entries(entries: Any, registry: Registry) -> Any:
    """The entries with long type names; what is no entry stays as it is, to be refused."""
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
    uses = [{"pluginRef": name, "weight": weight} for name, weight in weights.items()]
    return [{"type": name} for name in weights], [{"name": DEFAULT_PROFILE, "plugins": uses}]


def long_name(written: str, registry: Registry) -> str:
    """The type that a word means: pickers and handlers may be written without the end of their names."""
    for end in _LEFT_OUT:
        if written + end in registry:
            return written + end
    return written


def _plugin(entry: Any, registry: Registry) -> Any:
    written = entry.get("type") if isinstance(entry, Mapping) else None
    if not isinstance(written, str):
        return entry
    found = long_name(written, registry)
    told = {"type": found, **({} if found == written or "name" in entry else {"name": written})}
    if found in registry and "parameters" in entry:
        told["parameters"] = without_empty(registry.find(found).parameters, entry["parameters"])
    return {**entry, **told}


def _profile(entry: Any) -> Any:
    uses = entry.get("plugins") if isinstance(entry, Mapping) else None
    if not isinstance(uses, list | tuple):
        return entry
    return {**entry, "plugins": [without_empty(REFERENCE, use) for use in uses]}


def profile_of_all(names: Sequence[str]) -> list[Any]:
    """The only profile of a configuration that has plugins and no profile."""
    return [{"name": DEFAULT_PROFILE, "plugins": [{"pluginRef": name} for name in names]}]
