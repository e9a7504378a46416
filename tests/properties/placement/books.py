"""Plan documents written back into Cluster documents, and cards counted again from them."""

from properties.placement.documents import said
from properties.placement.fleet import fleet


def items(answer):
    """The plans of a Plan or a PlanList."""
    return answer["items"] if answer["kind"] == "PlanList" else [answer]


def committed(cluster, answer, whole=()):
    """The cluster with all that was planned; `whole` names workloads whose cards are held whole."""
    bookings = list(cluster["bookings"])
    for plan in items(answer):
        gone = {removal["replica"] for removal in plan["removals"]}
        bookings = [each for each in bookings if (each["workload"] != plan["workload"] or each["replica"] not in gone)]
        for replica in plan["replicas"]:
            for part in replica["workers"]:
                bookings.append(_booking(plan["workload"], replica["index"], part, plan["workload"] in whole))
    return {**cluster, "bookings": bookings}


def _booking(name, number, part, whole):
    cards = [
        {"runtime": gpu["runtime"], "index": gpu["index"]}
        | (
            {}
            if whole
            else said(
                memory=gpu["memory_mib"], computePercent=gpu["compute_percent"], headroom=gpu["headroom_mib"] or None
            )
        )
        for gpu in part["gpus"]
    ]
    return {
        "workload": name,
        "replica": number,
        "worker": part["worker"],
        "cpu": part["cpu_milli"] / 1000,
        "ram": part["ram_mib"],
        "gpus": cards,
    }


def holds_whole(spec):
    gpus = spec.get("gpus")
    return gpus is not None and "model" not in spec and "memory" not in gpus and "computePercent" not in gpus


def excesses(before, after):
    """Where more is held than there is, on what was booked anew: (place, MiB or percent too much)."""
    found = []
    for old, new in zip(fleet(before), fleet(after), strict=True):
        for name in ("cpu", "ram"):
            was, left = getattr(old, name) or 0, getattr(new, name) or 0
            found += [(new.name, name)] if left < min(0, was) else []
        for was, card in zip(old.cards, new.cards, strict=True):
            if card.held == was.held:
                continue
            if (card.whole and len(card.held) > 1) or card.cut or not card.healthy:
                found.append((card.key, "kinds"))
            if card.compute < 0:
                found.append((card.key, "compute"))
            if not card.whole and card.memory is not None:
                over = card.booked + card.headroom - was.booked - was.headroom - was.free
                found += [(card.key, over)] if over > 0 else []
    return found
