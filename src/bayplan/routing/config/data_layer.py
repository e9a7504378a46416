"""Where values of the endpoints come from: the sources of a configuration, and the engines' metrics unless told not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.place import Place
from bayplan.routing.config.routing_config import Source
from bayplan.routing.plugin_kinds import DATA_SOURCE, EXTRACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.findings import Findings

_METRICS: Final = "metrics-data-source"
_EXTRACTOR: Final = "core-metrics-extractor"
_WITHOUT_EFFECT: Final = {
    "peer_discovery": "peerDiscovery",
    "syncer": "crossReplicaSyncerPluginRef",
    "sync_interval": "crossReplicaSyncInterval",
}


@dataclass(frozen=True, slots=True)
class DataLayer:
    """The sources with their extractors, and who lists the endpoints; the entries of `plugins` themselves."""

    inject_defaults: bool = True
    sources: tuple[tuple[Declaration, tuple[Declaration, ...]], ...] = ()
    discovery: Declaration | None = None

    def made(self) -> tuple[Source, ...]:
        """The sources with the plugins that were made."""
        return tuple(
            Source(source.name, source.plugin, {each.name: each.plugin for each in extractors})
            for source, extractors in self.sources
        )

    def document(self) -> dict[str, Any]:
        """The section with every default filled in."""
        discovery = {} if self.discovery is None else {"discovery": {"pluginRef": self.discovery.name}}
        sources = [
            {"pluginRef": source.name, "extractors": [{"pluginRef": each.name} for each in extractors]}
            for source, extractors in self.sources
        ]
        return {"injectDefaults": self.inject_defaults, "sources": sources, **discovery}


def read_data_layer(values: Mapping[str, Any], plugins: Declarations, findings: Findings) -> DataLayer:
    """The data layer of a section that has no problem."""
    for name, key in _WITHOUT_EFFECT.items():
        if name in values:
            findings.warn(Place(("dataLayer", key)), f"{key} has no effect here", "remove it")
    inject = values.get("inject_defaults", True)
    sources = [
        (each["plugin_ref"], tuple(extractor["plugin_ref"] for extractor in each.get("extractors", ())))
        for each in values.get("sources", ())
    ]
    if inject and not any(_is(source, _METRICS) for source, _ in sources):
        sources.append((_of_type(_METRICS, DATA_SOURCE, plugins), (_of_type(_EXTRACTOR, EXTRACTOR, plugins),)))
    discovery = values.get("discovery")
    return DataLayer(inject, tuple(sources), None if discovery is None else discovery["plugin_ref"])


def _is(declared: Declaration, type_name: str) -> bool:
    return declared.type is not None and declared.type.name == type_name


def _of_type(type_name: str, kind: str, plugins: Declarations) -> Declaration:
    """The entry of that name, else the first of that type, else a new one."""
    type_ = plugins.registry.find(type_name)
    named = next((each for each in plugins if each.name == type_name and each.is_a(kind)), None)
    return named or plugins.add(type_)
