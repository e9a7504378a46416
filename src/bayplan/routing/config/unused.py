"""Plugins that a configuration declares and nothing uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.framework.config.place import Place
from bayplan.routing.plugin_kinds import (
    BAND_SELECTION,
    DETECTOR,
    FAIRNESS,
    ORDERING,
    PARSER,
    PREFIX_PRODUCER,
    USAGE_LIMIT,
)

if TYPE_CHECKING:
    from bayplan.framework.config.declarations import Declaration
    from bayplan.framework.config.findings import Findings
    from bayplan.routing.config.parts import Parts

_ADDED: Final = Place(("plugins",))
"""Where entries stand that the document leaves out."""

_OF_PROFILES: Final = ("filter", "scorer", "picker")
_OF_FLOW_CONTROL: Final = (FAIRNESS, ORDERING, USAGE_LIMIT, BAND_SELECTION)


def warn_of_unused(parts: Parts, findings: Findings) -> None:
    """Say which plugins have no effect; producers and plugins around requests act wherever they are declared."""
    used = {id(each) for each in parts.used}
    for each in parts.plugins:
        declared = each.place != _ADDED
        if declared and id(each) not in used and (reason := _reason(each, parts)):
            findings.warn(each.place, f"{each.name!r} is not used: {reason}", "remove it, or refer to it")


def _reason(declared: Declaration, parts: Parts) -> str:
    if declared.is_a(DETECTOR):
        return "neither flowControl.saturationDetector nor a profile refers to it"
    if declared.is_a(*_OF_PROFILES) and not declared.is_a(PREFIX_PRODUCER):
        return "no profile refers to it"
    if declared.is_a(PARSER):
        return "requestHandler.parsers does not list it"
    return "flowControl does not refer to it" if parts.flow and declared.is_a(*_OF_FLOW_CONTROL) else ""
