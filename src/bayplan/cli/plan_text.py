"""A Plan for people: the verdict, the replicas, the options, or what stands in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.card_text import cards, cores, gib, money, score, several, sizes
from bayplan.cli.output import Part, Sheet, Style, Title, Verbatim
from bayplan.cli.text import one_line, workload_text
from bayplan.cluster.rejections import REJECTIONS
from bayplan.placement.asks.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Iterator

STYLES: dict[str, Style] = {"fits": "good", "partly": "doubtful", "waiting": "doubtful", "infeasible": "bad"}
VICTIMS = "Bookings that would have to be removed first"
MEANINGS = {
    "waiting": "it would fit this cluster if every booking were gone, but not now",
    "infeasible": "it would not fit this cluster even if every booking were gone",
}


def meaning(document: dict[str, Any]) -> str:
    """What the verdict of a Plan or a Why means where nothing is placed."""
    if document["unknowns"]:
        return f"cannot be judged: {' and '.join(each['what'] for each in document['unknowns'])} is not known"
    if not document["proven"]:
        return "no place was found for all that must be placed at once; whether there is one is not proven"
    return MEANINGS[document["verdict"]]


def plan_parts(plan: dict[str, Any]) -> Iterator[Part]:
    """What to print of one plan, in order."""
    yield Title(f"{workload_text(plan)}: {_verdict(plan)}", STYLES[plan["verdict"]])
    if plan["replicas"]:
        yield _replicas(plan["replicas"])
        yield from _engine(plan["replicas"])
    if plan["options"]:
        yield from ("", Title("Options for the first replica"), _options(plan["options"]))
    if plan["removals"]:
        rows = [(str(each["replica"]), each["worker"], each["reason"]) for each in plan["removals"]]
        yield from ("", Title("Replicas to remove"), Sheet(("REPLICA", "WORKER", "REASON"), rows))
    if plan["victims"]:
        yield from ("", Title(VICTIMS), victim_sheet(plan["victims"]))
    if plan["rejections"]:
        yield from ("", Title(_blocked(plan)), _rejections(plan["rejections"]))


def _verdict(plan: dict[str, Any]) -> str:
    verdict, placed, desired = plan["verdict"], plan["placed"], plan["desired"]
    if verdict in MEANINGS:
        least = f" (at least {plan['minimum']} must be)" if plan["minimum"] > 1 else ""
        return f"{verdict}, 0 of {_count(desired)} placed{least}: {meaning(plan)}"
    if desired == 0:
        return f"{verdict}, nothing to add"
    return f"{verdict}, {placed} of {_count(desired)} placed"


def _count(replicas: int) -> str:
    return f"{replicas} replica{'' if replicas == 1 else 's'}"


def _replicas(replicas: list[dict[str, Any]]) -> Sheet:
    roles = any(replica["role"] for replica in replicas)
    placed = ("REPLICA", "TIER", "WORKER", "GPUS", "GiB PER CARD", "TP x PP", "SCORE", "USD/H")
    header: tuple[str, ...] = (*placed, "MODEL", "RAM GiB", "CPU CORES")
    rows = [row for replica in replicas for row in _replica(replica)]
    spare = (("SCORE",), ("TIER",), ("USD/H",), ("TP x PP",))
    if roles:
        named = [replica["role"] or "-" for replica in replicas for _ in replica["workers"]]
        rows = [(role, *row) for role, row in zip(named, rows, strict=True)]
        header = ("ROLE", *header)
    return Sheet(header, rows, wide=3, sentences=("GPUS",), spare=spare)


def _replica(replica: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """A row for each worker; values of the whole replica stand in the first row."""
    for number, part in enumerate(replica["workers"]):
        gpus = part["gpus"]
        whole = (_division(replica), score(replica["score"]), money(replica["cost_usd_per_hour"]))
        layers = "" if part["layers"] is None else f" ({part['layers']} layers)"
        yield (
            str(replica["index"]) if not number else "",
            replica["tier"] if not number else "",
            part["worker"],
            cards(gpus) + layers,
            sizes(gpus),
            *(whole if not number else ("", "", "")),
            ", ".join(dict.fromkeys(gpu["model"] or "unknown" for gpu in gpus)) or "-",
            gib(part["ram_mib"]) if part["ram_mib"] else "-",
            cores(part["cpu_milli"]) if part["cpu_milli"] else "-",
        )


def _division(replica: dict[str, Any]) -> str:
    """`TP x PP`; a dash for cards over which no model is divided."""
    cards_taken = sum(len(part["gpus"]) for part in replica["workers"])
    undivided = replica["tp"] == replica["pp"] == 1
    if undivided and (cards_taken != 1 or replica["tier"] == Tier.AS_REQUESTED):
        return "-"
    return f"{replica['tp']} x {replica['pp']}"


def _engine(replicas: list[dict[str, Any]]) -> Iterator[Part]:
    """Engine arguments that the plan relies on; replicas with equal arguments share a line."""
    told: dict[str, list[str]] = {}
    for replica in replicas:
        if replica["engine_args"]:
            told.setdefault(" ".join(replica["engine_args"]), []).append(str(replica["index"]))
    if told:
        yield ""
    for arguments, numbers in told.items():
        whose = "" if len(told) == 1 and len(numbers) == len(replicas) else f" of replica {several(numbers)}"
        yield Verbatim(one_line(f"engine arguments{whose}: {arguments}"))


def _options(options: list[dict[str, Any]]) -> Sheet:
    rows = [
        (
            "*" if option["chosen"] else "",
            option["tier"],
            several(option["workers"]),
            str(option["gpus"]),
            score(option["score"]),
            money(option["cost_usd_per_hour"]),
        )
        for option in options
    ]
    header = ("CHOSEN", "TIER", "WORKERS", "GPUS", "SCORE", "USD/H")
    return Sheet(header, rows, sentences=("WORKERS",), spare=(("TIER",), ("SCORE",)))


def victim_sheet(victims: list[dict[str, Any]]) -> Sheet:
    """The bookings that would be removed, and why each was chosen."""
    header = ("WORKLOAD", "REPLICA", "PRIORITY", "WORKER", "GPUS", "REASON")
    rows = [
        (
            workload_text(each),
            str(each["replica"]),
            str(each["priority"]),
            each["worker"],
            cards(each["gpus"]),
            each["reason"],
        )
        for each in victims
    ]
    return Sheet(header, rows, sentences=("REASON", "GPUS"), spare=(("GPUS",), ("PRIORITY",)))


def _blocked(plan: dict[str, Any]) -> str:
    return "What blocks the next replica" if plan["placed"] else "What blocks it"


def _rejections(rejections: list[dict[str, Any]]) -> Sheet:
    rows = []
    for each in rejections:
        known = REJECTIONS.get(each["code"])
        row = (each["code"], str(each["workers"]), each["message"], known.next if known else "-")
        rows.append((*row, "yes" if each["curable"] else "no"))
    header = ("CHECK", "WORKERS", "NEAREST MISS", "WHAT HELPS", "EVICTION HELPS")
    return Sheet(header, rows, wide=1, sentences=("NEAREST MISS", "WHAT HELPS"), spare=(("WORKERS",),))
