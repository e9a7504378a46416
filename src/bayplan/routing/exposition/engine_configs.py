"""Engines of one's own: `engineConfigs` of a `core-metrics-extractor`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.errors import Problem
from bayplan.framework.nearest import did_you_mean
from bayplan.routing.exposition.engine import Engine, LabelSpec, MetricSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

EXTRACTOR: Final = "core-metrics-extractor"
"""The type of plugin whose parameters define engines."""

_SPECS: Final = ("queuedRequestsSpec", "runningRequestsSpec", "kvUsageSpec", "loraSpec", "cacheInfoSpec")
_FIELDS: Final = ("name", *_SPECS, "customMetrics")
_CUSTOM_FIELDS: Final = ("attributeKey", "metricSpec")
_BLOCK_SIZE_LABELS: Final = ("block_size", "page_size")
_BLOCKS_LABELS: Final = ("num_gpu_blocks", "num_pages")
_PAIR: Final = r'\s*[a-zA-Z_][a-zA-Z0-9_]*\s*=\s*(?:"[^"]*"|[^",={}\s]+)\s*'
_SPEC: Final = re.compile(rf"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{{((?:{_PAIR}(?:,|(?=\}})))*)\s*\}}\s*)?")
_LABEL: Final = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*(?:"([^"]*)"|([^",={}\s]+))')


def read_engines(configs: Any, place: str) -> tuple[dict[str, Engine], list[Problem]]:
    """The engines by name, and all that is wrong with them; `place` is where the list stands.

    An engine takes the place of a built-in one of its name as a whole. An empty spec says that there is no such metric.
    """
    if configs is None:
        return {}, []
    if not isinstance(configs, list):
        return {}, [Problem(place, "it is no list", "write a list of engines, each with a name")]
    engines: dict[str, Engine] = {}
    problems: list[Problem] = []
    for number, config in enumerate(configs):
        here = f"{place}[{number}]"
        if not isinstance(config, dict):
            problems.append(Problem(here, "it is no mapping", "write name: and its specs"))
            continue
        name = config.get("name")
        if not isinstance(name, str) or not name:
            problems.append(Problem(f"{here}.name", "the engine has no name", "give one"))
        elif name in engines:
            problems.append(Problem(f"{here}.name", f"two engines are called {name!r}", "give each its own name"))
        else:
            engines[name] = _engine(name, config, here, problems)
    return engines, problems


def _engine(name: str, config: Mapping[str, Any], place: str, problems: list[Problem]) -> Engine:
    _unknown(config, _FIELDS, place, problems)
    specs = {key: _spec(config.get(key), f"{place}.{key}", problems) for key in _SPECS}
    info, usage = specs["cacheInfoSpec"], specs["kvUsageSpec"]
    return Engine(
        name,
        waiting=specs["queuedRequestsSpec"],
        running=specs["runningRequestsSpec"],
        usage=() if usage is None else (usage,),
        block_size=None if info is None else LabelSpec(info, _BLOCK_SIZE_LABELS),
        blocks=None if info is None else LabelSpec(info, _BLOCKS_LABELS),
        loras=specs["loraSpec"],
        attributes=_attributes(config.get("customMetrics"), f"{place}.customMetrics", problems),
    )


def _attributes(listed: Any, place: str, problems: list[Problem]) -> tuple[tuple[str, MetricSpec], ...]:
    if listed is None:
        return ()
    if not isinstance(listed, list):
        problems.append(Problem(place, "it is no list", "write a list of {attributeKey, metricSpec}"))
        return ()
    found: dict[str, MetricSpec] = {}
    for number, each in enumerate(listed):
        here = f"{place}[{number}]"
        if not isinstance(each, dict):
            problems.append(Problem(here, "it is no mapping", "write attributeKey: and metricSpec:"))
            continue
        _unknown(each, _CUSTOM_FIELDS, here, problems)
        key, spec = each.get("attributeKey"), each.get("metricSpec")
        if not isinstance(key, str) or not key:
            problems.append(Problem(f"{here}.attributeKey", "it is missing", "name the attribute"))
        elif not spec:
            problems.append(Problem(f"{here}.metricSpec", "it is missing", "write NAME or NAME{LABEL=VALUE}"))
        elif (parsed := _spec(spec, f"{here}.metricSpec", problems)) is not None:
            found[key] = parsed
    return tuple(found.items())


def _unknown(fields: Mapping[str, Any], known: tuple[str, ...], place: str, problems: list[Problem]) -> None:
    problems += [
        Problem(f"{place}.{each}", f"no field is called {each!r}", did_you_mean(str(each), known))
        for each in fields
        if each not in known
    ]


def _spec(written: Any, place: str, problems: list[Problem]) -> MetricSpec | None:
    if written is None or written == "":
        return None
    found = parse_spec(written) if isinstance(written, str) else None
    if found is None:
        problems.append(Problem(place, f"{written!r:.80} is no metric", "write NAME or NAME{LABEL=VALUE}"))
    return found


def parse_spec(written: str) -> MetricSpec | None:
    """`name{label=value,…}`, with or without quotes; None where it cannot be read."""
    found = _SPEC.fullmatch(written)
    if found is None:
        return None
    labels = {name: quoted or bare for name, quoted, bare in _LABEL.findall(found[2] or "")}
    return MetricSpec(found[1], tuple(labels.items()))
