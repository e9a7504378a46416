"""`bayplan config show`: what a configuration means, with every default and everything that is added to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cli.config.config_file import File, read
from bayplan.cli.errors import warn
from bayplan.cli.output import Format, Sheet, emit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def show(file: File, *, output: Format = "yaml") -> None:
    """Print a configuration with its defaults filled in and with what its scheduler adds."""
    config, warnings = read(file)
    for warning in warnings:
        warn(str(warning))
    document = config.document()
    emit(document, output, _sheet(document))


def _sheet(document: Mapping[str, Any]) -> Sheet:
    types = {plugin.get("name", plugin["type"]): plugin for plugin in document["plugins"]}
    rows = [
        (
            profile["name"],
            reference["pluginRef"],
            _text(reference.get("weight")),
            _text(reference.get("level")),
            types[reference["pluginRef"]]["type"],
            _text(types[reference["pluginRef"]].get("parameters") or None),
        )
        for profile in document["schedulingProfiles"]
        for reference in profile["plugins"]
    ]
    return Sheet(
        ("PROFILE", "PLUGIN", "WEIGHT", "LEVEL", "TYPE", "PARAMETERS"), rows, wide=1, sentences=("PARAMETERS",)
    )


def _text(value: object) -> str:
    return "-" if value is None else str(value)
