"""`bayplan.scrape`: what the metrics text of an engine says about its load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayplan.framework.errors import ConfigError, InputError
from bayplan.manifests.reader import Document
from bayplan.manifests.values import what
from bayplan.routing.exposition.document import metrics_document
from bayplan.routing.exposition.engine import Engine, engine_named
from bayplan.routing.exposition.engine_configs import EXTRACTOR, read_engines
from bayplan.routing.exposition.reading import read_metrics


def scrape(text: str | bytes, *, engine: str = "vllm", config: Any = None) -> dict[str, Any]:
    """The Metrics document of a Prometheus text; `config` may define engines in a `core-metrics-extractor`."""
    if isinstance(text, str):
        text = text.encode("utf-8", "replace")
    elif not isinstance(text, bytes):
        raise InputError(f"{what(text)} is no text", place="text", next="hand in what the engine's /metrics answers")
    if not isinstance(engine, str):
        raise InputError(f"{what(engine)} is no name", place="engine", next="name an engine, such as vllm")
    return metrics_document(read_metrics(text, engine_named(engine, own_engines(config))))


def own_engines(config: Any) -> dict[str, Engine]:
    """The engines that a configuration defines, by name."""
    if isinstance(config, Document):
        config = config.data
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise InputError(f"{what(config)} is no configuration", place="config", next="give a dict, as in the files")
    engines: dict[str, Engine] = {}
    problems = []
    for number, plugin in enumerate(config.get("plugins") or ()):
        if not isinstance(plugin, Mapping) or plugin.get("type") != EXTRACTOR:
            continue
        parameters = plugin.get("parameters")
        if isinstance(parameters, Mapping):
            found, wrong = read_engines(parameters.get("engineConfigs"), f"plugins[{number}].parameters.engineConfigs")
            engines |= found
            problems += wrong
    if problems:
        raise ConfigError(tuple(problems))
    return engines
