"""Plans of many workloads for people: one line each, totals, then what blocks the workloads that did not fit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bayplan.cli.card_text import gib, money, several
from bayplan.cli.output import Part, Sheet, Title
from bayplan.cli.plan_text import STYLES
from bayplan.cli.text import workload_text
from bayplan.cluster.rejections import REJECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    Plans = list[dict[str, Any]]

_WORDS = {"fits": "fit", "partly": "fit partly", "waiting": "waiting", "infeasible": "infeasible"}
VERDICTS = tuple(_WORDS)
_MOST_FAILURES = 40
"""As many lines of failures as fit on a screen; -o wide shows all."""


def plan_list_parts(plans: Plans) -> Iterator[Part]:
    """What to print of several plans."""
    yield _lines(plans)
    yield from ("", Title(_totals(plans), STYLES[_worst(plans)]))
    if failures := _failures([each for each in plans if each["verdict"] != "fits"]):
        shown = failures[:_MOST_FAILURES]
        yield from ("", Title("What blocks the others"), _failure_sheet(shown))
        if len(shown) < len(failures):
            yield f"... and {len(failures) - len(shown)} more lines; -o wide shows every workload"


def _lines(plans: Plans) -> Sheet:
    header: tuple[str, ...] = (
        "WORKLOAD",
        "VERDICT",
        "PLACED",
        "WORKERS",
        "CARDS",
        "GiB PER CARD",
        "USD/H",
        "REMOVED FIRST",
    )
    rows = [_line(each) for each in plans]
    if not any(each["victims"] for each in plans):
        header, rows = header[:-1], [row[:-1] for row in rows]
    return Sheet(header, rows, sentences=("WORKERS",), spare=(("GiB PER CARD",), ("USD/H",)))


def _line(plan: dict[str, Any]) -> tuple[str, ...]:
    parts = [part for replica in plan["replicas"] for part in replica["workers"]]
    names = list(dict.fromkeys(part["worker"] for part in parts))
    sizes = dict.fromkeys(gpu["memory_mib"] for part in parts for gpu in part["gpus"])
    return (
        workload_text(plan),
        plan["verdict"],
        f"{plan['placed']} of {plan['desired']}",
        several(names) or "-",
        str(_cards(plan)),
        ", ".join(gib(size) for size in sizes if size is not None) or "-",
        _cost(plan),
        str(len(plan["victims"]) or "-"),
    )


def _cards(plan: dict[str, Any]) -> int:
    return sum(len(part["gpus"]) for replica in plan["replicas"] for part in replica["workers"])


def _cost(plan: dict[str, Any]) -> str:
    costs = [replica["cost_usd_per_hour"] for replica in plan["replicas"]]
    if not costs:
        return "-"
    return money(None if None in costs else sum(costs))


def _totals(plans: Plans) -> str:
    verdicts = Counter(each["verdict"] for each in plans)
    counted = ", ".join(f"{verdicts[verdict]} {_WORDS[verdict]}" for verdict in VERDICTS if verdicts[verdict])
    placed, desired = (sum(each[key] for each in plans) for key in ("placed", "desired"))
    cards = sum(map(_cards, plans))
    return (
        f"{len(plans)} workloads: {counted}; {placed} of {desired} replicas placed on {cards} card{'s' * (cards != 1)}"
    )


def _worst(plans: Plans) -> str:
    return max((str(each["verdict"]) for each in plans), key=VERDICTS.index)


def _failures(unfit: Plans) -> list[tuple[str, ...]]:
    """Workloads that fail for the same reason share a line."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for plan in unfit:
        rejection = _main_rejection(plan)
        known = REJECTIONS.get(rejection["code"])
        reason = (plan["verdict"], rejection["code"], rejection["message"], known.next if known else "-")
        groups.setdefault(reason, []).append(workload_text(plan))
    return [(_named(names), *reason) for reason, names in groups.items()]


def _main_rejection(plan: dict[str, Any]) -> dict[str, Any]:
    """The rejection to show: the first; for a workload that waits, the first that free capacity would cure."""
    rejections: list[dict[str, Any]] = plan["rejections"] or [{"code": "-", "message": "-", "curable": False}]
    if plan["verdict"] == "infeasible":
        return rejections[0]
    return next((each for each in rejections if each["curable"]), rejections[0])


def _named(names: list[str]) -> str:
    count = f"{len(names)} workloads: " if len(names) > 4 else ""
    return count + several(names)


def _failure_sheet(rows: list[tuple[str, ...]]) -> Sheet:
    header = ("WORKLOAD", "VERDICT", "CHECK", "NEAREST MISS", "WHAT HELPS")
    return Sheet(header, rows, sentences=("WORKLOAD", "NEAREST MISS", "WHAT HELPS"), spare=(("WHAT HELPS",),))
