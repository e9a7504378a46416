"""What `gpus` counts, written a second time from its table of facts: loops over single cards."""

from hypothesis import strategies as st

from properties.placement.documents import said

LEVELS = {
    "region": "region", "zone": "zone", "block": "block", "rack": "rack", "nvlinkDomain": "nvlink-domain",
}  # fmt: skip
MODELS = ("H100-SXM5-80GB", "A100-SXM4-80GB", "L4")
SIZE = 1000
PARTS = {
    "whole": {}, "memory": {"memory": 300}, "both": {"memory": 100, "computePercent": 30}, "most": {"memory": 900},
}  # fmt: skip


@st.composite
def fleets(draw):
    """Workers with single cards, some of them ill, cut, held, shared or in foreign use."""
    workers, bookings = [], []
    for number in range(draw(st.integers(1, 4))):
        cards = [draw(_cards(index)) for index in range(draw(st.integers(0, 4)))]
        status = draw(st.sampled_from(("ready", "ready", "ready", "cordoned", "draining", "not-ready")))
        links = draw(st.sampled_from((None, "nvswitch", "pcie", "nvlink-pairs"))) if cards else None
        names = {level: draw(st.sampled_from((None, "x", "y"))) for level in LEVELS}
        reserved = draw(st.sampled_from((None, None, {"gpuMemory": 50})))
        name = f"w{number}"
        workers.append({"name": name, "gpus": cards, "status": status, **said(links=links, reserved=reserved, **names)})
        bookings += draw(_held(name, [card["index"] for card in cards if "mig" not in card]))
    return {"workers": workers, "bookings": bookings}


@st.composite
def _cards(draw, index):
    state = draw(st.sampled_from(({}, {}, {}, {}, {"health": "unhealthy"}, {"mig": {"enabled": True}})))
    used = draw(st.sampled_from((None, None, 50, 51, 350)))
    return {"index": index, "model": draw(st.sampled_from(MODELS)), "memory": SIZE, **state, **said(observedUsed=used)}


@st.composite
def _held(draw, name, cards):
    found = []
    for card in cards:
        kind = draw(st.sampled_from((None, None, *PARTS)))
        if kind is not None:
            part = {"index": card, **PARTS[kind]}
            found.append({"workload": f"{name}-{card}", "replica": 0, "worker": name, "gpus": [part]})
    return found


class Card:
    """One card with what is booked of it."""

    def __init__(self, worker, card, bookings):
        self.worker, self.card = worker, card
        parts = [
            part for each in bookings if each["worker"] == worker["name"]
            for part in each["gpus"] if part["index"] == card["index"]
        ]  # fmt: skip
        self.is_held = any("memory" not in part for part in parts)
        self.booked = sum(part.get("memory", SIZE) for part in parts)
        self.percent = sum(part.get("computePercent", 0) for part in parts)
        self.foreign = max(0, card.get("observedUsed", 0) - self.booked)
        self.is_booked = bool(parts)

    @property
    def kind(self):
        cases = {
            "closed": self.worker["status"] != "ready",
            "unhealthy": "health" in self.card,
            "mig": "mig" in self.card,
            "held": self.is_held,
            "whole": not self.is_booked and self.foreign <= 0.05 * SIZE,
        }
        return next((name for name, true in cases.items() if true), "shared")

    @property
    def free_mib(self):
        return max(0, SIZE - self.booked - self.foreign - self.worker.get("reserved", {}).get("gpuMemory", 0))


def facts(workers, cards):
    """The facts about these cards."""
    kinds = [card.kind for card in cards]
    found = {kind: kinds.count(kind) for kind in ("closed", "unhealthy", "mig", "held", "whole", "shared")}
    whole = {
        worker["name"]: [card.card["index"] for card in cards if card.worker is worker and card.kind == "whole"]
        for worker in workers
    }
    usable = [card for card in cards if card.kind in ("whole", "shared")]
    free, stranded = (
        sum(card.free_mib for card in some) for some in (usable, [card for card in usable if card.kind == "shared"])
    )
    return {
        "cards": len(cards),
        **found,
        "workers_with": {str(size): sum(len(some) >= size for some in whole.values()) for size in (1, 2, 4, 8)},
        "largest": _largest(workers, {name: len(some) for name, some in whole.items()}),
        "sets": _sets(workers, whole),
        "free_mib": free,
        "largest_free_mib": max((card.free_mib for card in usable), default=None),
        "stranded_mib": stranded,
        "fragmentation": stranded / free if free else None,
    }


def _largest(workers, numbers):
    found = {"worker": max(numbers.values(), default=0)}
    levels = list(LEVELS)
    for depth, level in enumerate(levels):
        sums = {}
        for worker in workers:
            if level in worker:
                path = tuple(worker.get(each) for each in levels[: depth + 1])
                sums[path] = sums.get(path, 0) + numbers[worker["name"]]
        if sums:
            found[LEVELS[level]] = max(sums.values())
    return found


def _sets(workers, whole):
    found = {}
    for worker in workers:
        cards = whole[worker["name"]]
        if cards:
            found.setdefault((len(cards), _islands(worker.get("links"), cards)), []).append(worker["name"])
    return {key: sorted(names) for key, names in found.items()}


def _islands(links, cards):
    if links is None:
        return None
    if links == "nvswitch":
        return (len(cards),)
    groups = {}
    for card in cards:
        groups.setdefault(card if links == "pcie" else card // 2, []).append(card)
    return tuple(sorted(map(len, groups.values()), reverse=True))
