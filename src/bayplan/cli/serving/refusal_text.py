"""What stands in the way of a model, for people: equal answers of a server's replicas in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.card_text import several
from bayplan.cli.output import Sheet
from bayplan.serving.rejections import SERVING_REJECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    Refused = tuple[str, int | None, dict[str, Any]]

_MOST_INDEXES = 8


def refusal_sheet(refused: Iterable[Refused]) -> Sheet:
    """Server, index of the replica or None for the whole server, and the rejection."""
    groups: dict[tuple[str, str, str, bool], list[int]] = {}
    for server, index, each in refused:
        replicas = groups.setdefault((server, each["code"], each["message"], each["curable"]), [])
        if index is not None:
            replicas.append(index)
    rows = [
        (server, replicas_text(replicas), code, message, what_helps(code), "yes" if curable else "no")
        for (server, code, message, curable), replicas in groups.items()
    ]
    header = ("SERVER", "REPLICA", "CHECK", "WHY", "WHAT HELPS", "UNLOADING HELPS")
    return Sheet(header, rows, wide=1, sentences=("WHY", "WHAT HELPS"), spare=(("WHAT HELPS",),))


def replicas_text(indexes: list[int]) -> str:
    """`0-2, 5`; all where it is about the whole server."""
    if not indexes:
        return "all"
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return several([str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs], _MOST_INDEXES)


def what_helps(code: str) -> str:
    """The next step; codes of plugins that users add have none."""
    known = SERVING_REJECTIONS.get(code)
    return known.next if known else "-"
