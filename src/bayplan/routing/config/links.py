"""What plugins need of each other: those that parameters name, and producers that are added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.routing.config.shapes import Reference
from bayplan.routing.config.told_values import place_of, value_at
from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER
from bayplan.routing.plugin_kinds import DECIDER, PREFIX_PRODUCER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.drafts import Draft
    from bayplan.framework.config.findings import Findings

_PRODUCER_NAME: Final = "prefixMatchInfoProducerName"
_REFERENCES: Final[Mapping[tuple[str, ...], str]] = {
    (_PRODUCER_NAME,): PREFIX_PRODUCER,
    ("deciders", "prefill"): DECIDER,
    ("deciders", "encode"): DECIDER,
    ("deciderPluginName",): DECIDER,
}
"""Parameters that name another plugin, and its kind."""


def check_references(plugins: Declarations, findings: Findings) -> None:
    """Say which parameters name a plugin that is not there, or that is of another kind."""
    for declared in tuple(plugins):
        for path, kind in _REFERENCES.items():
            named = value_at(declared, path)
            if isinstance(named, str) and declared.type is not None:
                Reference(kind, plugins).read(named, place_of(declared, path), findings)


def pull_in(plugins: Declarations, findings: Findings) -> None:
    """Add the producers that plugins need and the document leaves out, and the producers that those need."""
    waiting = list(plugins)
    while waiting:
        declared = waiting.pop(0)
        there = {id(each) for each in plugins}
        for needed in _needs(declared):
            _add(needed, declared, plugins, findings)
        waiting += [each for each in plugins if id(each) not in there]


def connect(plugins: Declarations, drafts: Sequence[Draft]) -> None:
    """Tell plugins their names, the other plugins, and the profiles that they stand in."""
    made = {each.name: each.plugin for each in plugins}
    for each in plugins:
        if callable(join := getattr(each.plugin, "connect", None)):
            join(each.name, made)
    for each in plugins:
        if callable(put := getattr(each.plugin, "placed", None)):
            put([draft.name for draft in drafts if any(use.plugin is each for use in draft.uses)])


def _needs(declared: Declaration) -> list[str]:
    """The types of producers that a plugin cannot do without."""
    if declared.type is None:
        return []
    needs = list(getattr(declared.type.about, "needs", ()))
    named = declared.given.get(_PRODUCER_NAME) is not None
    keys = {field.key for field in declared.type.parameters.fields}
    if _PRODUCER_NAME in keys and not named and not declared.is_a(PREFIX_PRODUCER):
        needs.append(DEFAULT_PRODUCER)
    return [need for need in needs if not (need == DEFAULT_PRODUCER and named)]


def _add(needed: str, by: Declaration, plugins: Declarations, findings: Findings) -> None:
    """The default prefix producer is known by its name, every other one by its type."""
    type_ = plugins.registry.find(needed)
    if needed != DEFAULT_PRODUCER:
        plugins.add(type_)
        return
    found = plugins.ensure(type_, PREFIX_PRODUCER)
    if found.name != needed:
        other = next(each for each in plugins if each.name == needed)
        message = f"{needed!r} is no prefix producer, and {by.name!r} reads the prefix producer of that name"
        findings.add(other.place.at("name"), message, "give it another name")
