"""Fields and API groups of earlier versions: they are read, and the author hears of their successors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.place import Place
from bayplan.routing.config.absence import is_empty
from bayplan.routing.config.document import OLD_PICKER_VERSION, PICKER_VERSION
from bayplan.routing.config.shapes import Reference
from bayplan.routing.plugin_kinds import DETECTOR

if TYPE_CHECKING:
    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.findings import Findings

_DETECTOR: Final = Place(("saturationDetector",))
_INLINE_TYPE: Final = "utilization-detector"
_SUCCESSORS: Final = {
    "old_parser": ("parser", "requestHandler: {parsers: [{pluginRef: …}]}"),
    "old_detector": ("saturationDetector", "flowControl: {saturationDetector: {pluginRef: …}}"),
    "old_data_layer": ("data", "dataLayer"),
}


def read_old_detector(value: Any, plugins: Declarations, findings: Findings) -> Declaration | None:
    """The detector in its old place: the name of a plugin, or parameters of a utilization-detector."""
    if not isinstance(value, Mapping) or not value:
        return None
    told = {str(key): item for key, item in value.items() if not is_empty(item)}
    if told and "pluginRef" not in told:
        return plugins.include(plugins.registry.find(_INLINE_TYPE), told, _DETECTOR, findings)
    if "pluginRef" not in value:
        return None
    for key in (each for each in told if each != "pluginRef"):
        findings.add(_DETECTOR.at(key), f"{key!r} stands beside pluginRef", "give it to the plugin instead")
    found = Reference(DETECTOR, plugins).read(value["pluginRef"], _DETECTOR.at("pluginRef"), findings)
    return found if hasattr(found, "plugin") else None


def warn_of_old(values: Mapping[str, Any], findings: Findings) -> None:
    """Say what has a successor."""
    if values.get("api_version") == OLD_PICKER_VERSION:
        message = f"the API group of {OLD_PICKER_VERSION} is deprecated"
        findings.warn(Place(("apiVersion",)), message, f"write {PICKER_VERSION}")
    for name, (key, successor) in _SUCCESSORS.items():
        if name in values:
            findings.warn(Place((key,)), f"{key} at the top is deprecated", f"write {successor}")
