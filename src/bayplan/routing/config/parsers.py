"""Who reads requests: the parsers that a configuration lists, or the usual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.place import Place
from bayplan.routing.plugin_kinds import PARSER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.config.declarations import Declaration, Declarations
    from bayplan.framework.config.findings import Findings

DEFAULT_PARSERS: Final = ("openai-parser", "anthropic-parser", "vllmhttp-parser", "passthrough-parser")
_PLACE: Final = Place(("requestHandler", "parsers"))


def find_parsers(values: Mapping[str, Any], plugins: Declarations) -> tuple[Declaration, ...]:
    """The parsers in order: those of requestHandler, else the one in its old place, else the default ones."""
    handler, old = values.get("request_handler", {}), values.get("old_parser")
    listed = handler.get("parsers", () if old is None else (old,))
    if listed:
        return tuple(each["plugin_ref"] for each in listed)
    return tuple(plugins.ensure(plugins.registry.find(name), PARSER) for name in DEFAULT_PARSERS)


def used_parsers(parsers: Sequence[Declaration], findings: Findings) -> dict[str, Any]:
    """The parsers by name up to the first that claims no path: it takes every request, so none behind it is asked."""
    used: dict[str, Any] = {}
    last = ""
    for number, each in enumerate(parsers):
        if last:
            message = f"{each.name!r} is skipped: {last!r} before it takes every request"
            findings.warn(_PLACE.at(number), message, f"put it before {last!r}")
            continue
        used[each.name] = each.plugin
        last = "" if each.plugin.paths else each.name
    return used
