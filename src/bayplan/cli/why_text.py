"""A Why for people: the answer of each worker, equal answers once, and the changes that would help."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bayplan.cli.card_text import gib, money, score, several
from bayplan.cli.holder_text import holder_parts
from bayplan.cli.output import Part, Sheet, Title
from bayplan.cli.plan_text import STYLES, VICTIMS, meaning, victim_sheet
from bayplan.cli.text import one_line, workload_text
from bayplan.placement.asks.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    Group = list[dict[str, Any]]

_SENTENCES = {"fits": "", "partly": ": some replicas fit, not all"}
ONE_VICTIM = ", after 1 booking is removed"
_TIERS = {str(tier): number for number, tier in enumerate(Tier)}
_MOST_NAMES = 3  # names in one line; the number of workers comes first where there are more
_MOST_GROUPS = 40  # as many lines as fit on a screen


def why_parts(why: dict[str, Any], *, wide: bool) -> Iterator[Part]:
    """What to print of one answer, in order."""
    verdict = why["verdict"]
    sentence = _SENTENCES[verdict] if verdict in _SENTENCES else f": {meaning(why)}"
    if why["victims"]:
        sentence = f", after {len(why['victims'])} bookings are removed" if len(why["victims"]) > 1 else ONE_VICTIM
    yield Title(f"{workload_text(why)}: {verdict}{sentence}", STYLES[verdict])
    yield from _gang(why["gang"])
    feasible = [each for each in why["workers"] if each["feasible"]]
    refused = [each for each in why["workers"] if not each["feasible"]]
    if feasible:
        groups = list(_grouped(sorted(feasible, key=_rank), wide=wide))
        yield from ("", Title(_heading(feasible, why["workers"], "can take it")))
        yield from _cut(groups, _scores, wide=wide)
    if refused:
        groups = list(_grouped(sorted(refused, key=_miss), wide=wide))
        yield from ("", Title(_heading(refused, why["workers"], "cannot take it")))
        yield from _cut(groups, _refusals, wide=wide)
        yield from _holders(refused, wide=wide)
    if not why["workers"]:
        yield from ("", "the cluster has no workers")
    if why["victims"]:
        yield from ("", Title(VICTIMS), victim_sheet(why["victims"]))
    if why["changes"]:
        yield from ("", Title("What would make it fit"), _changes(why["changes"]))
    yield from (
        f"{each['what']} is not known on {several(each['workers'])}: {each['next']}" for each in why["unknowns"]
    )
    if why["changes_note"]:
        yield from ("", one_line(why["changes_note"]))


def _holders(refused: list[dict[str, Any]], *, wide: bool) -> Iterator[Part]:
    """Who holds the cards of the workers that refuse the workload, nearest to a fit first."""
    ordered = sorted(refused, key=_miss)
    lists = ("held_by", "unusable_cards")
    held, unusable = ([{"worker": each["worker"], **one} for each in ordered for one in each[key]] for key in lists)
    yield from holder_parts(held, unusable, wide=wide)


def _gang(gang: dict[str, Any]) -> Iterator[str]:
    if max(gang["desired"], gang["minimum"]) <= 1:
        return
    least = f", at least {gang['minimum']} at once" if gang["minimum"] > 1 else ""
    blocked = f"; no place for {several(gang['blocking'])}" if gang["blocking"] else ""
    yield one_line(f"{gang['placeable']} of {gang['desired']} replicas can be placed{least}{blocked}")


def _heading(some: Sequence[Any], every: Sequence[Any], what: str) -> str:
    return f"{some[0]['worker']} {what}" if len(every) == 1 else f"{len(some)} of {len(every)} workers {what}"


def _cut(groups: list[Group], drawn: Callable[[list[Group]], Sheet], *, wide: bool) -> Iterator[Part]:
    """The first of many lines."""
    shown = groups if wide else groups[:_MOST_GROUPS]
    yield drawn(shown)
    if len(shown) < len(groups):
        left = sum(len(alike) for alike in groups[_MOST_GROUPS:])
        yield f"... and {left} more workers, in {len(groups) - _MOST_GROUPS} lines; -o wide shows each"


def _scores(groups: list[Group]) -> Sheet:
    """The workers that fit, in order of preference: by tier, then level by level."""
    rows = []
    for alike in groups:
        each = alike[0]
        total, terms = each["score"]["total"], each["score"]["terms"]
        others = ", ".join(rejection["code"] for rejection in each["rejections"])
        rows.append((_names(alike), each["tier"] or "-", score(total), _made_of(terms), others or "-"))
    header = ("WORKER", "TIER", "SCORE", "MADE OF", "REFUSED IN OTHER TIERS")
    return Sheet(header, rows, wide=1, sentences=("WORKER", "MADE OF"), spare=(("TIER",),))


def _rank(worker: dict[str, Any]) -> tuple[Any, ...]:
    sums: dict[int, float] = {}
    for term in worker["score"]["terms"]:
        sums[term["level"]] = sums.get(term["level"], 0.0) + term["contribution"]
    return _TIERS.get(worker["tier"], len(_TIERS)), [-sums[level] for level in sorted(sums)]


def _made_of(terms: list[dict[str, Any]]) -> str:
    """`first fewest-cards 0.500, then binpack 0.481`: only the last level is the score."""
    levels: dict[int, list[str]] = {}
    for term in terms:
        levels.setdefault(term["level"], []).append(_term(term))
    sums = [" + ".join(levels[level]) for level in sorted(levels)]
    if len(sums) < 2:
        return "".join(sums) or "-"
    return "first " + ", then ".join(sums)


def _term(term: dict[str, Any]) -> str:
    weight = "" if term["weight"] == 1 else f" x {term['weight']:g}"
    note = f" ({term['note']})" if term["note"] else ""
    return f"{term['plugin']} {score(term['score'])}{weight}{note}"


def _miss(worker: dict[str, Any]) -> tuple[int, float]:
    """How far a worker is from a fit: the number of failing checks, then the numbers of the first one."""
    shorts = [each["short"] for each in worker["rejections"] if isinstance(each["short"], int | float)]
    return len(worker["rejections"]), shorts[0] if shorts else math.inf


def _refusals(groups: list[Group]) -> Sheet:
    """A row for each failing check, the workers nearest to a fit first."""
    rows = []
    for alike in groups:
        for number, rejection in enumerate(alike[0]["rejections"]):
            unit = rejection["unit"]
            amounts = [_amount(rejection[key], unit) for key in ("needed", "free", "short")]
            cure = "yes" if rejection["curable"] else "no"
            shown_unit = "GiB" if unit == "MiB" else unit or "-"
            row = (_names(alike) if not number else "", rejection["code"], *amounts, shown_unit)
            rows.append((*row, rejection["message"], cure, rejection["filter"]))
    header = ("WORKER", "CHECK", "NEEDED", "FREE", "SHORT", "UNIT", "WHY", "EVICTION HELPS", "FILTER")
    return Sheet(header, rows, wide=2, sentences=("WORKER", "WHY"), spare=(("NEEDED", "FREE", "SHORT", "UNIT"),))


def _amount(value: Any, unit: str | None = None) -> str:
    if value is None:
        return "-"
    if unit == "MiB" and isinstance(value, int | float):
        return gib(int(value))
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _changes(changes: list[dict[str, Any]]) -> Sheet:
    rows = [
        (
            each["change"],
            str(each["detail"]),
            "yes" if each["verified"] else "no",
            money(each.get("cost_usd_per_hour")),
            _smaller(each.get("not_enough")),
        )
        for each in changes
    ]
    header = ("CHANGE", "DETAIL", "VERIFIED BY PLANNING", "USD/H", "LESS IS NOT ENOUGH")
    return Sheet(header, rows, wide=2, sentences=("DETAIL", "LESS IS NOT ENOUGH"), spare=(("VERIFIED BY PLANNING",),))


def _smaller(tried: dict[str, Any] | None) -> str:
    """The next smaller change, and the verdict of planning with it."""
    if tried is None:
        return "-"
    value = tried["to"]
    if isinstance(value, dict):
        value = ", ".join(f"{key} {one}" for key, one in value.items() if one is not None)
    return f"{_amount(value)}: {tried['verdict']}"


def _grouped(workers: list[dict[str, Any]], *, wide: bool) -> Iterator[Group]:
    """Workers with equal answers in one group; each by itself when `wide`."""
    if wide:
        yield from ([each] for each in workers)
        return
    groups: dict[Hashable, Group] = {}
    for each in workers:
        groups.setdefault(_answer(each), []).append(each)
    yield from groups.values()


def _names(alike: Group) -> str:
    names = [each["worker"] for each in alike]
    count = f"{len(names)} workers: " if len(names) > _MOST_NAMES + 1 else ""
    return count + several(names, _MOST_NAMES)


def _answer(worker: dict[str, Any]) -> Hashable:
    """The answer of a worker without its name: the key of its group."""
    said = worker["score"] or {"total": None, "terms": ()}
    terms = tuple((term["plugin"], term["score"], term["note"]) for term in said["terms"])
    return (
        worker["tier"], said["total"], terms,
        tuple((each["code"], each["message"]) for each in worker["rejections"]),
    )  # fmt: skip
