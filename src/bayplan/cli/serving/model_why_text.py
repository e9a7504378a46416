"""The Why of a model for people: every server and replica, equal answers once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.output import Part, Sheet, Title
from bayplan.cli.plan_text import MEANINGS, STYLES
from bayplan.cli.serving.model_plan_text import growth_text
from bayplan.cli.serving.refusal_text import refusal_sheet, replicas_text
from bayplan.cli.text import workload_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    Servers = list[dict[str, Any]]

_SENTENCES = {"fits": "", "partly": ": some replicas fit, not all"}


def model_why_parts(why: dict[str, Any]) -> Iterator[Part]:
    """What to print of one answer, in order."""
    verdict = why["verdict"]
    sentence = _SENTENCES[verdict] if verdict in _SENTENCES else f": {MEANINGS[verdict]}"
    yield Title(f"{workload_text(why)}: {verdict}{sentence}", STYLES[verdict])
    if not why["servers"]:
        yield from ("", "the cluster has no servers")
        return
    yield from ("", _servers(why["servers"]))
    refused = [
        *((each["server"], None, one) for each in why["servers"] for one in each["rejections"]),
        *(
            (each["server"], replica["serverReplica"], one)
            for each in why["servers"]
            for replica in each["replicas"]
            for one in replica["rejections"]
        ),
    ]
    if refused:
        ordered = sorted(refused, key=lambda each: each[0])  # stable: the server's own refusals first
        yield from ("", Title("What is refused"), refusal_sheet(ordered))
    if why["scale_up"]:
        yield from ("", growth_text(why["scale_up"]))


def _servers(servers: Servers) -> Sheet:
    rows = []
    for each in servers:
        fits = [one["serverReplica"] for one in each["replicas"] if one["feasible"]]
        kept = [one["serverReplica"] for one in each["replicas"] if one["kept"]]
        frees = [one["free_mib"] for one in each["replicas"] if one["free_mib"] is not None]
        rows.append(
            (
                each["server"],
                "yes" if each["feasible"] else "no",
                f"{len(fits)} of {len(each['replicas'])}",
                replicas_text(fits) if fits else "-",
                replicas_text(kept) if kept else "-",
                str(max(frees)) if frees else "unknown",
            )
        )
    header = ("SERVER", "CAN TAKE IT", "REPLICAS FIT", "WHICH", "HAS IT", "MOST FREE MiB")
    return Sheet(header, rows, spare=(("HAS IT",), ("WHICH",)))
