"""`bayplan replay`: a recorded decision, made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.files import documents_in
from bayplan.cli.output import Format, Part, Sheet, Title, emit
from bayplan.framework.errors import InputError
from bayplan.library.replay import replay as replayed
from bayplan.manifests.limits import INVENTORY

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIFFERS = 1


def replay(
    file: Annotated[str, Parameter(help="A record that bayplan records ID -o json wrote, or - for stdin.")],
    *,
    output: Format = "table",
) -> int:
    """Make a recorded decision again, from the record alone, and compare.

    No server is asked. Exit code 1 if the decision comes out differently, with every place that differs.
    """
    documents = list(documents_in([file], INVENTORY, lambda _: None))
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        raise InputError("holds no single record", place=file, next="export one: bayplan records ID -o json")
    found = replayed(documents[0].data)
    emit(found, output, *_parts(found))
    return 0 if found["same"] else _DIFFERS


def _parts(found: dict[str, Any]) -> Iterator[Part]:
    if found["same"]:
        yield Title(f"record {found['id']}: the same decision again", "good")
        return
    yield Title(f"record {found['id']}: the decision comes out differently", "bad")
    rows = [(each["place"], str(each["recorded"])[:60], str(each["made"])[:60]) for each in found["differences"]]
    yield Sheet(("PLACE", "RECORDED", "NOW"), rows)
