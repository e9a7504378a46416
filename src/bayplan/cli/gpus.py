"""`bayplan gpus`: free cards as sets that can be used, shared cards, fragmentation, and who holds the cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.card_text import gib, several
from bayplan.cli.errors import warn
from bayplan.cli.files import ClusterFiles, read_cluster_files, read_once
from bayplan.cli.holder_text import holder_parts
from bayplan.cli.output import Format, Part, Sheet, Title, emit
from bayplan.cli.progress import told_when_slow
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.library.gpus import gpus as count_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = "bayplan gpus"
_MOST_SHARED = 20  # as many lines as fit on a screen


def gpus(
    *,
    cluster: ClusterFiles = None,
    holders: Annotated[
        bool, Parameter(help="Show who holds cards, and which cards cannot be used whole.", negative=())
    ] = False,
    output: Format = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Show free cards as sets that can be used, by model and by the links between them; shared cards; fragmentation.

    A set is what one worker could give to a request for whole cards. Taints and labels are not looked at. Without
    --cluster a running server is asked about its cluster.
    """
    read_once(cluster)
    with told_when_slow("counting cards"):
        document = (
            count_gpus(read_cluster_files(cluster, COMMAND), holders=holders)
            if cluster
            else _asked(holders=holders, server=server, data=data)
        )
    for warning in document["warnings"]:
        warn(warning)
    emit(document, output, *_parts(document, wide=output == "wide"))


def _asked(*, holders: bool, server: str | None, data: Path | None) -> dict[str, Any]:
    from bayplan.cli.server.questions import ask_gpus  # noqa: PLC0415 (files need no network)

    return ask_gpus(holders=holders, server=server, data=data, command=COMMAND)


def _parts(document: dict[str, Any], *, wide: bool) -> Iterator[Part]:
    if not document["models"]:
        yield "the cluster has no cards"
        return
    yield _models(document)
    if sets := list(_sets(document)):
        header = ("MODEL", "CARDS", "NVLINK ISLANDS", "WORKERS", "NAMES")
        title = Title("Sets of free whole cards on one worker")
        yield from ("", title, Sheet(header, sets, sentences=("NAMES",), spare=(("NVLINK ISLANDS",),)))
    if shared := document["shared_cards"]:
        shown = shared if wide else shared[:_MOST_SHARED]
        more = f" (the {_MOST_SHARED} with the most free; -o wide shows all)" if len(shown) < len(shared) else ""
        yield from ("", Title(f"Shared cards: {len(shared)}{more}"), _shared(shown))
    if document["mig"]:
        rows = [tuple(str(value) for value in each.values()) for each in document["mig"]]
        title = Title("Free MIG instances; each profile is counted as if only it were used")
        yield from ("", title, Sheet(("PROFILE", "POSSIBLE", "EXISTING", "NO KNOWN CARD"), rows))
    yield from ("", _fragmentation(document["total"]))
    if "holders" in document:
        yield from holder_parts(document["holders"], document["unusable_cards"], wide=wide)
        if not document["holders"]:
            yield from ("", "No booking holds a card.")


def _models(document: dict[str, Any]) -> Sheet:
    listed = [(each["model"] or "unknown", each["memory_mib"], each) for each in document["models"]]
    if len(listed) > 1:
        listed.append(("all", None, document["total"]))
    sizes = f"WORKERS WITH {'/'.join(document['total']['workers_with'])}"
    shown = ("FREE PLACES",) if document["total"]["places"] else ()
    header = (
        "MODEL",
        "GiB",
        "CARDS",
        "WHOLE",
        "SHARED",
        "HELD",
        "LARGEST SET",
        sizes,
        "FREE GiB",
        "STRANDED GiB",
        *shown,
    )
    wide = ("LARGEST FREE GiB", "MIG", "UNHEALTHY", "CLOSED", "LARGEST BY PLACE")
    rows = [_model(name, memory_mib, each, places=bool(shown)) for name, memory_mib, each in listed]
    spare = ((sizes,), ("STRANDED GiB",), ("LARGEST SET",))
    return Sheet((*header, *wide), rows, wide=len(wide), spare=spare)


def _model(name: str, memory_mib: int | None, free: dict[str, Any], *, places: bool) -> tuple[str, ...]:
    domains = [f"{level} {count}" for level, count in free["largest"].items() if level != "worker"]
    return (
        name,
        "" if name == "all" else gib(memory_mib),
        *(str(free[key]) for key in ("cards", "whole", "shared", "held")),
        str(free["largest"]["worker"]),
        "/".join(map(str, free["workers_with"].values())),
        gib(free["free_mib"]),
        gib(free["stranded_mib"]),
        *((_places(free),) if places else ()),
        "-" if free["largest_free_mib"] is None else gib(free["largest_free_mib"]),
        *(str(free[key]) for key in ("mig", "unhealthy", "closed")),
        ", ".join(domains) or "-",
    )


def _places(free: dict[str, Any]) -> str:
    """The places of one card or of many; a dash where the card is not offered in places."""
    return f"{free['free_places']} of {free['places']}" if free["places"] else "-"


def _sets(document: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for model in document["models"]:
        for each in model["sets"]:
            names = each["workers"]
            yield (
                model["model"] or "unknown",
                str(each["cards"]),
                "-" if each["cards"] == 1 else _islands(each["nvlink_islands"]),
                str(len(names)),
                several(names),
            )


def _islands(sizes: list[int] | None) -> str:
    if sizes is None:
        return "unknown"
    return " + ".join(map(str, sizes)) if sizes[0] > 1 else "none"


def _shared(cards: list[dict[str, Any]]) -> Sheet:
    places = any(card["places"] for card in cards)
    rows = [
        (
            card["worker"],
            f"{card['runtime']}:{card['index']}",
            card["model"] or "unknown",
            gib(card["free_mib"]),
            gib(card["memory_mib"]),
            f"{card['free_compute_percent']:g}",
            *((_places(card),) if places else ()),
        )
        for card in cards
    ]
    header = ("WORKER", "CARD", "MODEL", "FREE GiB", "OF GiB", "FREE COMPUTE %", *(("FREE PLACES",) if places else ()))
    return Sheet(header, rows, spare=(("OF GiB",),))


def _fragmentation(total: dict[str, Any]) -> str:
    if total["free_mib"] is None:
        return "Fragmentation: unknown, because the memory of the free cards is not known."
    if not total["free_mib"]:
        return "Fragmentation: nothing is free."
    return (
        f"Fragmentation: {total['fragmentation']:.0%} of the free memory ({gib(total['stranded_mib'])} of "
        f"{gib(total['free_mib'])} GiB) is on shared cards, which no request for whole cards can use; "
        f"the largest free piece is {gib(total['largest_free_mib'])} GiB."
    )
