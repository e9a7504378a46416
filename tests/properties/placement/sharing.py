"""Workers whose cards are shared in every way, who asks for what of them, and an oracle that counts card by card.

The oracle knows documents only. A place is given out as the rule says it, one after the other; everything else is
tried on each worker by itself.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from properties.placement.documents import rarely, said

GPU, RENAMED, PROFILE = "nvidia.com/gpu", "nvidia.com/gpu.shared", "1g.5gb"
NAMED_SLICE = f"nvidia.com/mig-{PROFILE}"
GPUMEM, GPUPART, GPUCORES = "nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"
KINDS = {
    "plain": {},
    "sliced": {"sharing": "time-slicing"},
    "mps": {"sharing": "mps", "placesPerContainer": 1},
    "gke": {"sharing": "time-slicing", "placesPerContainer": 1},
    "renamed": {"sharing": "time-slicing", "gpuResource": RENAMED},
    "hami": {"sharing": "hami"},
    "single": {"migStrategy": "single"},
}


@st.composite
def shared_workers(draw, name):
    kind = draw(st.sampled_from(list(KINDS)))
    if kind == "single":
        return {"name": name, **KINDS[kind], "migSlices": {PROFILE: draw(st.integers(1, 3))}}
    places = st.none() if kind == "plain" else st.integers(2, 4)
    cards = [
        said(
            index=index,
            runtime="cuda",
            model="Tesla-T4",
            memory=draw(rarely(st.none(), draw(st.integers(5, 24)))),
            places=draw(places),
            health=draw(rarely(st.just("unhealthy"))),
            observedUsed=draw(rarely(st.integers(0, 9))),
        )
        for index in range(draw(st.integers(1, 3)))
    ]
    reserved = draw(rarely(st.just({"gpuMemory": 2})))
    return said(name=name, gpus=cards, reserved=reserved) | KINDS[kind]


def pod(name, *containers, **annotations):
    limited = [{"name": f"c{at}", "resources": {"limits": each}} for at, each in enumerate(containers)]
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": limited}}


def native(name, **gpus):
    return {"metadata": {"name": name}, "spec": {"gpus": gpus}}


few, mib, percent = st.integers(1, 3), st.integers(1, 16), st.sampled_from((1, 10, 33, 50, 60, 100))
by_name = st.builds(
    lambda resource, counts: (pod, [{resource: count} for count in counts], {}),
    st.sampled_from((GPU, GPU, GPU, RENAMED, NAMED_SLICE)),
    st.lists(few, min_size=1, max_size=2),
)
by_hami = st.builds(
    lambda *amounts: (pod, [said(**dict(zip((GPU, GPUMEM, GPUPART, GPUCORES), amounts, strict=True)))], {}),
    st.none() | few, st.none() | mib, rarely(percent), st.none() | percent,
).filter(lambda asked: set(asked[1][0]) & {GPUMEM, GPUPART, GPUCORES})  # fmt: skip
fractions = st.sampled_from(("0.1", "0.25", "0.333", "0.5", "0.75", "1"))
by_kai = st.builds(
    lambda way, count: (pod, [{}], dict([way]) | {"gpu-fraction-num-devices": str(count)}),
    st.tuples(st.just("gpu-fraction"), fractions) | st.tuples(st.just("gpu-memory"), mib.map(str)),
    st.sampled_from((1, 1, 2)),
)
natively = st.builds(
    lambda gpus: (native, [], gpus),
    st.builds(lambda count: {"count": count}, few)
    | st.builds(
        lambda count, memory, compute: said(count=count, memory=memory, computePercent=compute),
        few, mib, st.none() | percent,
    )
    | st.just({"mig": PROFILE}),
)  # fmt: skip
asked = (by_name | by_hami | by_kai | natively).map(lambda each: lambda name: each[0](name, *each[1], **each[2]))


@st.composite
def worlds(draw, most=5):
    """A cluster on which somebody may run, and workloads that come one after the other."""
    makers = draw(st.lists(asked, min_size=1, max_size=most))
    return draw(shared_clusters()), [make(f"p{at}") for at, make in enumerate(makers)]


@st.composite
def shared_clusters(draw):
    workers = [draw(shared_workers(f"w{number}")) for number in range(draw(st.integers(1, 2)))]
    bookings = [
        {"workload": "old", "replica": number, "worker": name, "gpus": [part]}
        for number, (name, part) in enumerate(
            (worker["name"], {"runtime": "cuda", "index": card["index"]} | draw(held_parts(card)))
            for worker in workers
            for card in worker.get("gpus", ())
            if draw(st.booleans())
        )
    ]
    return {"workers": workers, "bookings": bookings}


def held_parts(card):
    """What somebody holds of a card, whole or a share, perhaps with headroom beside it."""
    places = st.integers(1, card["places"]) if "places" in card else st.none()
    amounts = {"memory": st.integers(1, 3), "computePercent": st.none() | percent, "headroom": rarely(few)}
    return rarely(st.just({}), {}) | st.builds(said, places=rarely(places), **amounts)


@dataclass
class Card:
    """A card with the parts that are held of it, as bookings write them."""

    facts: dict
    worker: dict
    held: list = field(default_factory=list)
    observed: int = 0

    @property
    def seen(self):
        return "observedUsed" in self.facts

    @property
    def memory(self):
        return self.facts.get("memory")

    @property
    def places(self):
        return self.facts.get("places")

    @property
    def healthy(self):
        return self.facts.get("health") != "unhealthy"

    @property
    def whole(self):
        return any(not part.keys() & {"memory", "computePercent", "places"} for part in self.held)

    @property
    def foreign(self):
        return max(0, self.observed - self.booked)

    @property
    def booked(self):
        own = self.memory or 0 if self.whole else sum(part.get("memory", 0) for part in self.held)
        return own + sum(part.get("headroom", 0) for part in self.held)

    @property
    def free(self):
        if self.memory is None or self.whole:
            return 0
        return max(0, self.memory - self.booked - self.foreign - self.worker.get("reserved", {}).get("gpuMemory", 0))

    @property
    def milli(self):
        return 0 if self.whole else 1000 - sum(round(10 * part.get("computePercent", 0)) for part in self.held)

    @property
    def used(self):
        return sum(part.get("places", 1) for part in self.held)

    @property
    def open(self):
        """Whether one more share may stand on it, as far as shares are counted."""
        closed = self.worker.get("sharing") == "hami" and self.milli <= 0
        return self.healthy and not self.whole and not closed and (self.places is None or self.used < self.places)

    @property
    def idle(self):
        return self.open and not self.held and self.foreign * 20 <= (self.memory or 0)

    def gives(self, places):
        """Whether so many places, asked for at once, have their memory and compute."""
        if not self.open or self.places is None or self.used + places > self.places:
            return False
        part = 0 if self.memory is None else places * self.memory // self.places
        return part <= self.free and places * 1000 // self.places <= self.milli


@dataclass
class Host:
    facts: dict
    cards: list
    slices: int

    @property
    def hami(self):
        return self.facts.get("sharing") == "hami"

    @property
    def single(self):
        return self.facts.get("migStrategy") == "single"

    @property
    def most_places(self):
        """A container gets so many at most."""
        return self.facts.get("placesPerContainer", 1 if self.facts.get("sharing") == "mps" else 99)

    @property
    def resource(self):
        return self.facts.get("gpuResource", GPU)


def hosts(cluster, *, emptied=False):
    """The workers; `emptied`: with every booking gone, while what others use stays."""
    found = []
    for facts in cluster["workers"]:
        cards = [Card(gpu, facts, observed=gpu.get("observedUsed", 0)) for gpu in facts.get("gpus", ())]
        bookings = [each for each in cluster.get("bookings", ()) if each["worker"] == facts["name"]]
        parts = [part for each in bookings for part in each.get("gpus", ())]
        for card in cards:
            card.held = [part for part in parts if part.get("index") == card.facts["index"]]
            if emptied:
                card.observed, card.held = card.foreign, []
        held = 0 if emptied else sum("mig" in part for part in parts)
        found.append(Host(facts, cards, facts.get("migSlices", {}).get(PROFILE, 0) - held))
    return found


def fits(host, document):
    """Whether the worker holds one replica."""
    return way(host, document) is not None


def way(host, document):
    """What one replica takes there: a number of slices, or cards, each with the part of it; None where it does not fit.

    Of several cards on which a share has room, the lowest.
    """
    if document.get("kind") != "Pod":
        return _native(host, document["spec"]["gpus"])
    if wanted := document["metadata"].get("annotations"):
        return _kai(host, wanted)
    limits = [each["resources"]["limits"] for each in document["spec"]["containers"]]
    if limits[0].keys() & {GPUMEM, GPUPART, GPUCORES}:
        return _hami(host, limits[0]) if host.hami else None
    if limits[0].keys() != {host.resource}:  # no worker here has strategy mixed, under which slices have names
        return None
    return _devices(host, [each[host.resource] for each in limits])


def _native(host, gpus):
    if "mig" in gpus:
        return _slices(host, 1)
    if gpus.keys() == {"count"}:
        return _wholes(host, gpus["count"])
    return _shares(host, gpus["count"], lambda _: gpus["memory"], gpus.get("computePercent", 0) * 10)


def _devices(host, counts):
    if host.single:
        return _slices(host, sum(counts))
    if host.facts.get("sharing") in (None, "hami"):
        return _wholes(host, sum(counts))
    if max(counts) > host.most_places:
        return None
    given = dealt(host, sum(counts))
    return given and [(host.cards[at], _part_of(host.cards[at], places)) for at, places in given.items()]


def _slices(host, count):
    return count if host.slices >= count else None


def _wholes(host, count):
    idle = [(card, {}) for card in host.cards if card.idle]
    return idle[:count] if len(idle) >= count else None


def _kai(host, wanted):
    count = int(wanted["gpu-fraction-num-devices"])
    if "gpu-memory" in wanted:
        return _shares(host, count, lambda _: int(wanted["gpu-memory"]))
    fraction = Fraction(wanted["gpu-fraction"])
    return _shares(host, count, lambda memory: int(fraction * memory), int(fraction * 1000))


def _hami(host, limits):
    count, cores = limits.get(GPU, 1), limits.get(GPUCORES, 0)
    if not limits.keys() & {GPUMEM, GPUPART}:
        return _wholes(host, count)
    part = limits.get(GPUPART, 0)
    need = (lambda _: limits[GPUMEM]) if GPUMEM in limits else (lambda memory: memory * part // 100)
    return _shares(host, count, need, cores * 10, alone=cores == 100)


def _shares(host, count, need, milli=0, *, alone=False):
    """On so many different cards, each with the memory and the compute."""
    good = [
        (card, {"memory": need(card.memory), "computePercent": milli / 10})
        for card in host.cards
        if card.open and card.memory is not None and card.free >= need(card.memory) and card.milli >= milli
        if not (alone and card.held)
    ]
    return good[:count] if len(good) >= count else None


def _part_of(card, places):
    memory = None if card.memory is None else places * card.memory // card.places
    return said(memory=memory, computePercent=places * 1000 // card.places / 10, places=places)


def dealt(host, count):
    """`{index: places}` as the rule gives them out; None where they run out."""
    mine = dict.fromkeys(range(len(host.cards)), 0)
    for _ in range(count):
        left = [at for at in mine if host.cards[at].gives(mine[at] + 1)]
        if not left:
            return None
        mine[min(left, key=lambda at: (mine[at] > 0, host.cards[at].used + mine[at], at))] += 1
    return {at: places for at, places in mine.items() if places}


def copies(host, document):
    """How many replicas the worker holds, one after the other; of no use for shares of several cards each."""
    made = 0
    while (taken := way(host, document)) is not None:
        made += 1
        if isinstance(taken, int):
            host.slices -= taken
            continue
        for card, part in taken:
            card.observed += part.get("memory", (card.memory or 0)) if card.seen else 0
            card.held = [*card.held, part]
    return made


def takes_places(host, document):
    """How many places a Pod takes there by name, None where it takes something else."""
    if document.get("kind") != "Pod" or host.single or host.facts.get("sharing") in (None, "hami"):
        return None
    limits = [each["resources"]["limits"] for each in document["spec"]["containers"]]
    return sum(each[host.resource] for each in limits) if limits[0].keys() == {host.resource} else None


def takes_one_card_a_share(document):
    """Whether a replica that takes shares takes one: how many fit does not depend on which card gives which."""
    if document.get("kind") != "Pod":
        gpus = document["spec"]["gpus"]
        return "memory" not in gpus or gpus["count"] == 1
    if wanted := document["metadata"].get("annotations"):
        return wanted["gpu-fraction-num-devices"] == "1"
    limits = document["spec"]["containers"][0]["resources"]["limits"]
    return not limits.keys() & {GPUMEM, GPUPART} or limits.get(GPU, 1) == 1


def oversold(cluster):
    """Where more is held than there is."""
    found = []
    for host in hosts(cluster):
        found += [(host.facts["name"], "slices")] if host.slices < 0 else []
        for card in host.cards:
            over = {
                "whole": card.whole and len(card.held) > 1,
                "memory": card.memory is not None and card.booked > card.memory,
                "compute": card.milli < 0,
                "places": card.places is not None and card.used > card.places,
                "alone": _exclusive_beside_others(card),
            }
            found += [(host.facts["name"], card.facts["index"], name) for name, true in over.items() if true]
    return found


def _exclusive_beside_others(card):
    """On a card of HAMi: all of its compute for one, and somebody came later."""
    full = [round(10 * part.get("computePercent", 0)) == 1000 for part in card.held]
    return card.worker.get("sharing") == "hami" and any(first and not last for first, last in pairwise(full))
