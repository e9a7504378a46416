"""`bayplan config schema`: the JSON Schema of configurations, with every plugin that is installed here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bayplan.cli.config.config_file import read_one
from bayplan.cli.errors import warn
from bayplan.cli.output import Format, Sheet, emit
from bayplan.framework.config.document import KIND
from bayplan.framework.config.json_schema import config_schema
from bayplan.library.registry import plugins_for
from bayplan.routing.config.document import PICKER_KIND
from bayplan.routing.config.json_schema import routing_schema
from bayplan.routing.config.reader import is_routing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def schema(
    file: Annotated[
        str | None,
        Parameter(
            name=("--file", "-f"),
            allow_leading_hyphen=True,
            help="A configuration: the schema is that of its kind and scheduler. Default: of placement.",
        ),
    ] = None,
    *,
    output: Format = "json",
) -> None:
    """Print the JSON Schema of configurations, for editors and other programs."""
    data = None if file is None else read_one(file).data
    known = plugins_for(data)
    for problem in known.load_entry_points():
        warn(str(problem))
    if is_routing(data):
        document = routing_schema(known, PICKER_KIND if (data or {}).get("kind") == PICKER_KIND else KIND)
    else:
        document = config_schema(known)
    emit(document, output, _sheet(document))


def _sheet(document: Mapping[str, Any]) -> Sheet:
    required = document.get("required", ())
    rows = [
        (name, "yes" if name in required else "no", field.get("description", ""))
        for name, field in document["properties"].items()
    ]
    return Sheet(("FIELD", "REQUIRED", "ABOUT"), rows, sentences=("ABOUT",))
