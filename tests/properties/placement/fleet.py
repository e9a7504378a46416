"""What is free in a Cluster document, counted from its words: the oracle's own arithmetic."""

from dataclasses import dataclass, field
from math import inf

UNSUPPORTED = {("vllm", "mps"), ("sglang", "mps")}


@dataclass
class Card:
    """A card with everything that is booked on it, as (MiB, percent); None, None holds it whole."""

    worker: str
    runtime: str
    index: int
    model: str | None
    memory: int | None
    healthy: bool
    cut: bool
    observed: int
    reserved: int
    held: list = field(default_factory=list)
    headroom: int = 0
    foreign: int = 0

    @property
    def key(self):
        return self.worker, self.runtime, self.index

    @property
    def kind(self):
        return self.runtime, self.model

    @property
    def whole(self):
        return (None, None) in self.held

    @property
    def booked(self):
        return (self.memory or 0) if self.whole else sum(memory or 0 for memory, _ in self.held)

    @property
    def free(self):
        """MiB that somebody may still book; nothing where the size is not known."""
        if self.memory is None or self.whole:
            return 0
        return max(0, self.memory - self.booked - self.headroom - self.foreign - self.reserved)

    @property
    def compute(self):
        return 0 if self.whole else 100 - sum(percent or 0 for _, percent in self.held)

    @property
    def untouched(self):
        """Whether it may be given whole."""
        return not self.held and self.foreign * 20 <= (self.memory or 0)


@dataclass
class Host:
    """A worker with what is left of its CPU and RAM; None where that is not known."""

    facts: dict
    cards: list
    bookings: list
    cpu: float | None = None
    ram: int | None = None

    @property
    def name(self):
        return self.facts["name"]

    def has(self, cpu, ram):
        return _has(self.cpu, cpu) and _has(self.ram, ram)

    def room_for(self, cpu, ram):
        """How many times."""
        if not self.has(cpu, ram):
            return 0
        return min(self.cpu // cpu if cpu else inf, self.ram // ram if ram else inf)


def _has(free, asked):
    return not asked or (free is not None and free >= asked)


def fleet(cluster, *, emptied=False):
    """The workers; `emptied`: with every booking gone, while what others use stays."""
    hosts = [
        _host(facts, [each for each in cluster["bookings"] if each["worker"] == facts["name"]])
        for facts in cluster["workers"]
    ]
    for host in hosts:
        if emptied:
            host.bookings = []
            for card in host.cards:
                card.held, card.headroom = [], 0
        reserved = host.facts.get("reserved", {}).get("ram", 0)
        host.cpu = _left(host.facts.get("cpu"), "cpu", host.bookings)
        host.ram = _left(host.facts.get("ram"), "ram", host.bookings, reserved)
    return hosts


def _left(capacity, name, bookings, reserved=0):
    return None if capacity is None else capacity - reserved - sum(each.get(name, 0) for each in bookings)


def _host(facts, bookings):
    reserved = facts.get("reserved", {}).get("gpuMemory", 0)
    cards = [
        Card(
            facts["name"], gpu["runtime"], gpu["index"], gpu.get("model"), gpu.get("memory"),
            gpu.get("health") != "unhealthy", bool(gpu.get("mig")), gpu.get("observedUsed", 0), reserved,
        )
        for gpu in facts["gpus"]
    ]  # fmt: skip
    for card in cards:
        parts = [
            part
            for booking in bookings
            for part in booking.get("gpus", ())
            if (part["runtime"], part["index"]) == (card.runtime, card.index)
        ]
        card.held = [(part.get("memory"), part.get("computePercent")) for part in parts]
        card.headroom = sum(part.get("headroom", 0) for part in parts)
        card.foreign = max(0, card.observed - card.booked - card.headroom)
    return Host(facts, cards, list(bookings))


def passes(host, spec):
    """Whether a worker meets what the workload demands beside cards, CPU and RAM."""
    facts, cost = host.facts, spec.get("cost", {})
    avoided = set(spec.get("antiAffinity", ()))
    tolerated = bool(spec.get("tolerations"))
    return (
        facts.get("status", "ready") == "ready"
        and (tolerated or not facts.get("taints"))
        and _selected(facts.get("labels", {}), spec.get("selector", {}))
        and facts.get("region") in spec.get("regions", [facts.get("region")])
        and facts.get("carbonGramsPerKwh", 0) <= spec.get("maxCarbonGramsPerKwh", inf)
        and facts.get("usdPerHour", 0) <= cost.get("maxUsdPerHour", inf)
        and not (cost.get("spot") is False and facts.get("spot"))
        and not any(each["workload"] in avoided for each in host.bookings)
    )


def _selected(labels, selector):
    wanted = selector.get("matchLabels", {})
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(labels, each) for each in selector.get("matchExpressions", ())
    )


def _holds(labels, expression):
    value = labels.get(expression["key"])
    if expression["operator"] == "Exists":
        return value is not None
    return value is None or value not in expression["values"]


def usable(card, spec):
    """The place of a card in the order of preference, None where it does not exist for the workload."""
    gpus = spec.get("gpus", {})
    ids = spec.get("gpuIds")
    if not card.healthy or card.cut or (backend_of(spec), card.runtime) in UNSUPPORTED:
        return None
    if ids is not None and ":".join(map(str, card.key)) not in ids:
        return None
    if (card.memory or 0) < gpus.get("cardMemory", 0):
        return None
    models = gpus.get("models")
    if not models:
        return 0
    words = (card.model or "").split("-")
    return next((place for place, model in enumerate(models) if model in words), None)


def backend_of(spec):
    return (spec.get("backend") or {}).get("name", "custom")


def flag_of(spec, *names):
    """The value of a flag, as one word or two."""
    args = (spec.get("backend") or {}).get("args", [])
    for place, word in enumerate(args):
        name, given, value = word.partition("=")
        if name in names:
            return value if given else args[place + 1]
    return None
