"""`bayplan plugins`: all plugins, or one of them with its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import warn
from bayplan.cli.output import Format, Sheet, emit
from bayplan.cli.text import columns
from bayplan.framework.errors import UnknownPluginError
from bayplan.framework.plugins import Depends
from bayplan.library.registry import all_plugins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.config.shapes import Field
    from bayplan.framework.registry import PluginType, Registry

_JUDGES = frozenset({"filter", "scorer", "producer"})


def plugins(
    name: Annotated[str | None, Parameter(help="The plugin to describe; default: list all.")] = None,
    *,
    output: Format = "table",
) -> None:
    """List the plugins, or describe one: what it does, what it can be told, which columns it reads and makes."""
    registry = all_plugins()
    for problem in registry.load_entry_points():
        warn(str(problem))
    if name is not None:
        _describe(_find(registry, name), output)
        return
    found = list(registry)
    rows = [
        (each.name, ", ".join(each.kinds), each.origin, each.summary, ", ".join(each.aliases), _names(each.reads))
        for each in found
    ]
    header = ("NAME", "KIND", "ORIGIN", "ABOUT", "ALIASES", "READS")
    emit({"kind": "PluginList", "items": [_listed(each) for each in found]}, output, _plugin_sheet(header, rows))


def _plugin_sheet(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Sheet:
    return Sheet(header, rows, wide=2, sentences=("KIND", "ABOUT", "ALIASES", "READS"), spare=(("ORIGIN",), ("KIND",)))


def _find(registry: Registry, name: str) -> PluginType:
    try:
        return registry.find(name)
    except UnknownPluginError as problem:
        raise UnknownPluginError(problem.message, place="bayplan plugins", next=problem.next) from None


def _describe(plugin: PluginType, output: str) -> None:
    fields = plugin.parameters.fields
    parts: list[str | Sheet] = [
        f"{plugin.name}: {', '.join(plugin.kinds)}, {plugin.origin}",
        "",
        plugin.description,
        "",
    ]
    if fields:
        rows = [(each.key, each.shape.words, _default(each), each.text) for each in fields]
        header = ("PARAMETER", "TYPE", "DEFAULT", "ABOUT")
        parts += [Sheet(header, rows, sentences=("ABOUT", "TYPE")), ""]
    emit({"kind": "Plugin", **_described(plugin)}, output, *parts, columns(_facts(plugin)).rstrip())


def _facts(plugin: PluginType) -> list[tuple[str, str]]:
    facts = [("aliases:", ", ".join(plugin.aliases) or "-")]
    if not _JUDGES.isdisjoint(plugin.kinds):
        facts += [
            ("reads:", _names(plugin.reads)),
            ("produces:", _names(plugin.produces)),
            ("depends on:", _depends(plugin)),
        ]
    return facts


def _listed(plugin: PluginType) -> dict[str, Any]:
    return {
        "name": plugin.name,
        "kinds": list(plugin.kinds),
        "origin": plugin.origin,
        "aliases": list(plugin.aliases),
        "summary": plugin.summary,
    }


def _described(plugin: PluginType) -> dict[str, Any]:
    return {
        **_listed(plugin),
        "description": plugin.description,
        "parameters": [_parameter(each) for each in plugin.parameters.fields],
        "reads": None if plugin.reads is None else list(plugin.reads),
        "produces": None if plugin.produces is None else list(plugin.produces),
        "depends": None if plugin.depends is None else plugin.depends.name.lower(),
    }


def _parameter(field: Field) -> dict[str, Any]:
    return {
        "name": field.key,
        "type": field.shape.words,
        "required": field.required,
        "default": None if field.required else field.shape.show(field.default),
        "description": field.text,
    }


def _default(field: Field) -> str:
    if field.required:
        return "(required)"
    shown = field.shape.show(field.default)
    return shown if isinstance(shown, str) and shown else str(shown)


def _names(declared: tuple[str, ...] | None) -> str:
    return "(as its parameters say)" if declared is None else ", ".join(declared) or "-"


def _depends(plugin: PluginType) -> str:
    if plugin.depends is None:
        return "the columns it reads, nothing else"
    return "other rows" if plugin.depends is Depends.TABLE else "the cycle: time, chance, subject, earlier results"
