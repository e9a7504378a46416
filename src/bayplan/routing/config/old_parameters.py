"""Parameters of earlier versions, said in today's form; their authors hear of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bayplan.framework.config.place import Place
from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.config.declarations import Declarations
    from bayplan.framework.config.findings import Findings

_SCORER: Final = "prefix-cache-scorer"
_HANDLERS: Final = ("disagg-profile-handler", "disagg-profile")
_PRECISE: Final = ("precise-prefix-cache-producer", "precise-prefix-cache-scorer")
_INDEX: Final = (
    "autoTune",
    "blockSizeTokens",
    "maxPrefixTokensToMatch",
    "maxPrefixBlocksToMatch",
    "lruCapacityPerServer",
)
"""What the scorer was told while it kept the index itself; today that is the producer's."""

_IN_CHARACTERS: Final = ("blockSize", "hashBlockSize")
_CHARACTERS_PER_TOKEN: Final = 4  # the estimate of all versions
_OUT_OF_INDEXER: Final = ("tokenProcessorConfig", "speculativeIndexing")


class MovedIndex(NamedTuple):
    """Parameters of a prefix index that stand with a scorer: where, and the name of the producer that gets them."""

    place: Place
    name: str
    parameters: Mapping[str, Any]


def modern_entries(entries: Sequence[Any], findings: Findings) -> tuple[list[Any], list[MovedIndex]]:
    """The entries of `plugins` in today's form, and the producers that have to be added for it."""
    scorers = sum(isinstance(each, Mapping) and each.get("type") == _SCORER for each in entries)
    modern: list[Any] = []
    moved: list[MovedIndex] = []
    for number, entry in enumerate(entries):
        told = entry.get("parameters") if isinstance(entry, Mapping) else None
        if not isinstance(told, Mapping):
            modern.append(entry)
            continue
        place = Place(("plugins", number, "parameters"))
        if entry.get("type") == _SCORER and (index := _index_of(told)):
            # each of several scorers has its own index; a single one shares its with other readers of prefixes
            name = DEFAULT_PRODUCER if scorers == 1 else f"{entry.get('name') or _SCORER}-producer"
            moved.append(MovedIndex(place, name, index))
        modern.append({**entry, "parameters": _modern(entry.get("type"), told, moved, place, findings)})
    return modern, moved


def add_moved(moved: Sequence[MovedIndex], plugins: Declarations, findings: Findings) -> None:
    """Add the producers that scorers used to be."""
    type_ = plugins.registry.find(DEFAULT_PRODUCER)
    for each in moved:
        plugins.include(type_, each.parameters, each.place, findings, each.name)


def _modern(
    type_name: Any, told: Mapping[str, Any], moved: Sequence[MovedIndex], place: Place, findings: Findings
) -> Mapping[str, Any]:
    if moved and moved[-1].place == place:
        return _without_index(told, moved[-1], findings)
    if type_name in _HANDLERS and "deciderPluginName" in told:
        return _with_decider(told, place, findings)
    return _out_of_indexer(told, place, findings) if type_name in _PRECISE else told


def _index_of(told: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: told[key] for key in _INDEX if key in told}
    for key in _IN_CHARACTERS:
        if key in told:
            size = told[key]
            found.setdefault("blockSizeTokens", -(-size // _CHARACTERS_PER_TOKEN) if type(size) is int else size)
    return found


def _without_index(told: Mapping[str, Any], moved: MovedIndex, findings: Findings) -> Mapping[str, Any]:
    left = {key: value for key, value in told.items() if key not in (*_INDEX, *_IN_CHARACTERS)}
    for key in (each for each in told if each not in left):
        findings.warn(moved.place.at(key), f"{key} of {_SCORER} is deprecated", f"give it to {DEFAULT_PRODUCER}")
    return {"prefixMatchInfoProducerName": moved.name, **left}


def _with_decider(told: Mapping[str, Any], place: Place, findings: Findings) -> Mapping[str, Any]:
    deciders = told.get("deciders")
    if deciders is not None and not isinstance(deciders, Mapping):
        return told
    findings.warn(place.at("deciderPluginName"), "deciderPluginName is deprecated", "write deciders: {prefill: …}")
    left = {key: value for key, value in told.items() if key != "deciderPluginName"}
    return {**left, "deciders": {"prefill": told["deciderPluginName"], **(deciders or {})}}


def _out_of_indexer(told: Mapping[str, Any], place: Place, findings: Findings) -> Mapping[str, Any]:
    indexer = told.get("indexerConfig")
    if not isinstance(indexer, Mapping):
        return told
    out = {key: indexer[key] for key in _OUT_OF_INDEXER if key in indexer and key not in told}
    for key in out:
        where = place.at("indexerConfig").at(key)
        findings.warn(where, f"{key} of indexerConfig is deprecated", f"write {key} beside indexerConfig")
    inner = {key: value for key, value in indexer.items() if key not in out}
    return {**told, **out, "indexerConfig": inner}
