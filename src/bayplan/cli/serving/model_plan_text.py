"""The Plan of a model for people: the verdict, its replicas, what goes away, or what stands in the way."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bayplan.cli.output import Part, Sheet, Title
from bayplan.cli.plan_text import MEANINGS, STYLES
from bayplan.cli.serving.refusal_text import refusal_sheet, replicas_text, what_helps
from bayplan.cli.text import workload_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    Plans = list[dict[str, Any]]

_ORDER = ("fits", "partly", "waiting", "infeasible")
_MOST_FAILURES = 40
"""As many lines of failures as fit on a screen; -o wide shows all."""


def is_model(plan: dict[str, Any]) -> bool:
    """Whether a Plan or Why is about a model on servers."""
    return plan.get("scheduler") == "serving"


def model_plan_parts(plan: dict[str, Any]) -> Iterator[Part]:
    """What to print of one plan, in order."""
    yield Title(f"{workload_text(plan)}: {_verdict(plan)}", STYLES[plan["verdict"]])
    if plan["replicas"]:
        yield _replicas(plan)
    if plan["removals"]:
        yield from ("", Title("What goes away"), _removals(plan["removals"]))
    if plan["rejections"]:
        refused = [(each["server"], each["serverReplica"], each) for each in plan["rejections"]]
        yield from ("", Title(_blocked(plan)), refusal_sheet(refused))
    if plan["scale_up"]:
        yield from ("", growth_text(plan["scale_up"]))
    yield from ("", _status(plan["status"]))


def model_list_parts(plans: Plans) -> Iterator[Part]:
    """What to print of several plans: a line each, totals, and what blocks the models that do not fit whole."""
    yield Sheet(
        ("MODEL", "VERDICT", "PLACED", "SERVER", "REPLICAS", "MiB EACH", "STATE", "VERSION"),
        [_line(each) for each in plans],
        wide=1,
        spare=(("MiB EACH",), ("STATE",)),
    )
    yield from ("", Title(_totals(plans), STYLES[max((each["verdict"] for each in plans), key=_ORDER.index)]))
    failures = [_failure(each) for each in plans if each["verdict"] != "fits"]
    if failures:
        header = ("MODEL", "CHECK", "WHY", "WHAT HELPS")
        shown = Sheet(header, failures[:_MOST_FAILURES], sentences=("WHY", "WHAT HELPS"), spare=(("WHAT HELPS",),))
        yield from ("", Title("What blocks the others"), shown)
    if len(failures) > _MOST_FAILURES:
        yield f"... and {len(failures) - _MOST_FAILURES} more lines; -o wide shows every model"


def growth_text(growth: dict[str, Any]) -> str:
    """Which server would have to grow."""
    return f"More of it would fit if server {growth['server']} had {growth['replicas']} replicas."


def _verdict(plan: dict[str, Any]) -> str:
    verdict, placed, desired = plan["verdict"], plan["placed"], plan["desired"]
    if verdict in MEANINGS:
        least = f" (at least {plan['minimum']} must be)" if plan["minimum"] > 1 else ""
        kept = f"{placed} of {_count(desired)} placed{least}"
        return f"{verdict}, {kept}: {MEANINGS[verdict]}"
    if not desired:
        return f"{verdict}, no replica is wanted"
    return f"{verdict}, {placed} of {_count(desired)} on server {plan['server']}"


def _count(replicas: int) -> str:
    return f"{replicas} replica{'' if replicas == 1 else 's'}"


def _replicas(plan: dict[str, Any]) -> Sheet:
    rows = [
        (each["server"], str(each["serverReplica"]), str(each["memory_mib"]), "stays" if each["kept"] else "new")
        for each in plan["replicas"]
    ]
    return Sheet(("SERVER", "REPLICA", "MiB", "THERE"), rows)


def _removals(removals: Plans) -> Sheet:
    keys = ("server", "serverReplica", "version", "reason")
    rows = [tuple(str(each[key]) for key in keys) for each in removals]
    return Sheet(("SERVER", "REPLICA", "VERSION", "REASON"), rows)


def _blocked(plan: dict[str, Any]) -> str:
    return "What blocks the next replica" if plan["placed"] else "What blocks it"


def _status(status: dict[str, Any]) -> str:
    reason = f" ({status['reason']})" if status["reason"] else ""
    available = f"{status['availableReplicas']} of {status['desired']} replicas available"
    return f"Before this plan is carried out: {status['state']}{reason}, {available}."


def _line(plan: dict[str, Any]) -> tuple[str, ...]:
    indexes = [each["serverReplica"] for each in plan["replicas"]]
    sizes = dict.fromkeys(str(each["memory_mib"]) for each in plan["replicas"])
    return (
        workload_text(plan),
        plan["verdict"],
        f"{plan['placed']} of {plan['desired']}",
        plan["server"] or "-",
        replicas_text(indexes) if indexes else "-",
        ", ".join(sizes) or "-",
        plan["status"]["state"],
        str(plan["version"]),
    )


def _totals(plans: Plans) -> str:
    verdicts = Counter(each["verdict"] for each in plans)
    counted = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in _ORDER if verdicts[verdict])
    placed, desired = (sum(each[key] for each in plans) for key in ("placed", "desired"))
    servers = len({each["server"] for each in plans if each["server"]})
    on = f" on {servers} server{'s' * (servers != 1)}" if servers else ""
    return f"{len(plans)} model{'s' * (len(plans) != 1)}: {counted}; {placed} of {desired} replicas placed{on}"


def _failure(plan: dict[str, Any]) -> tuple[str, ...]:
    """The first refusal that says most: for a model that waits, one that unloading would cure."""
    found: Plans = plan["rejections"] or [{"code": "-", "message": "-", "curable": False, "server": "-"}]
    curable = [each for each in found if each["curable"]] if plan["verdict"] == "waiting" else []
    numbers = [each for each in curable or found if each["code"] != "replicas-short"]
    each = (numbers or curable or found)[0]
    where = each["server"] if each.get("serverReplica") is None else f"{each['server']}/{each['serverReplica']}"
    return workload_text(plan), each["code"], f"{where}: {each['message']}", what_helps(each["code"])
