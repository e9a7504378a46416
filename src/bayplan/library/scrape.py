"""`bayplan.scrape`: what the metrics text of an engine says about its load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.manifests.values import what
from bayplan.routing.exposition.document import metrics_document
from bayplan.routing.exposition.engine import BUILT_IN, engine_named
from bayplan.routing.exposition.reading import read_metrics

if TYPE_CHECKING:
    from bayplan.routing.exposition.engine import Engine


def scrape(text: str | bytes, *, engine: str = "vllm", config: Any = None) -> dict[str, Any]:
    """The Metrics document of a Prometheus text; `config` may define engines in a `core-metrics-extractor`."""
    return metrics_document(read_metrics(_bytes(text), engine_named(_name(engine), _own_engines(config))))


def _bytes(text: object) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "replace")
    if isinstance(text, bytes):
        return text
    raise InputError(f"{what(text)} is no text", place="text", next="hand in what the engine's /metrics answers")


def _name(engine: object) -> str:
    if isinstance(engine, str):
        return engine
    raise InputError(f"{what(engine)} is no name", place="engine", next=f"name an engine: {', '.join(BUILT_IN)}")


def _own_engines(config: Any) -> dict[str, Engine]:
    """The engines that a configuration defines, by name."""
    if config is None:
        return {}
    # all plugins of routing: only who hands in a configuration pays for them
    from bayplan.library.registry import read_routing  # noqa: PLC0415
    from bayplan.routing.sources.core_metrics_extractor import CoreMetricsExtractor  # noqa: PLC0415

    found = documents_of(config, "config")
    if len(found) != 1:
        raise InputError(f"there are {len(found)} configurations", place="config", next="give one")
    plugins = read_routing(found[0].data, line=found[0].line).plugins.values()
    extractors = [each for each in plugins if isinstance(each, CoreMetricsExtractor)]
    return {name: engine for each in extractors for name, engine in each.engines().items()}
