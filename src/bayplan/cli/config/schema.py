"""`bayplan config schema`: the JSON Schema of configurations, with every plugin that is installed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cli.errors import warn
from bayplan.cli.output import Format, Sheet, emit
from bayplan.framework.config.json_schema import config_schema
from bayplan.library.registry import all_plugins

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def schema(*, output: Format = "json") -> None:
    """Print the JSON Schema of configurations, for editors and other programs."""
    known = all_plugins()
    for problem in known.load_entry_points():
        warn(str(problem))
    document = config_schema(known)
    emit(document, output, _sheet(document))


def _sheet(document: Mapping[str, Any]) -> Sheet:
    required = document.get("required", ())
    rows = [
        (name, "yes" if name in required else "no", field.get("description", ""))
        for name, field in document["properties"].items()
    ]
    return Sheet(("FIELD", "REQUIRED", "ABOUT"), rows, sentences=("ABOUT",))
