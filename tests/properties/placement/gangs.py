"""Clusters in racks, gangs of one or several shapes, and how many members HiGHS finds room for."""

from collections import defaultdict
from itertools import permutations

from hypothesis import strategies as st

from properties.placement.copies import PLENTY, Program
from properties.placement.documents import OTHERS, clusters, said
from properties.placement.fitting import bare_fits
from properties.placement.fleet import fleet, passes, usable

PATH = ("region", "zone", "block", "rack")


@st.composite
def racked(draw, *, most=5, racks=("r1", "r2", "r3", None), **others):
    """A cluster of which some workers stand in racks."""
    cluster = draw(clusters(most=most, names=OTHERS, **others))
    for worker in cluster["workers"]:
        rack = draw(st.sampled_from(racks))
        worker.pop("rack", None)
        worker.update(said(rack=rack, cpu=draw(st.sampled_from((worker.get("cpu"), 8)))))
    return cluster


@st.composite
def members(draw, *, counts=(1, 1, 2, 3)):
    """What one member asks: whole cards, or shares of so many cards."""
    gpus = {"count": draw(st.sampled_from(counts))}
    memory = draw(st.sampled_from((None, None, 4, 8, 12, 20)))
    percent = None if memory is None else draw(st.sampled_from((None, None, 30, 50)))
    asked = said(cpu=draw(st.sampled_from((None, None, 1, 2, 3))), ram=draw(st.sampled_from((None, None, 8, 24))))
    return {"gpus": {**gpus, **said(memory=memory, computePercent=percent)}, **asked}


def most_members(roles, cluster, *, emptied=False, within=False, spread=False, most_on_spot=None):
    """The most members of these (shape, number) that stand at once; `within`: in the rack that holds most."""
    hosts = fleet(cluster, emptied=emptied)
    if within:
        racks = defaultdict(list)
        for host in hosts:
            racks[rack_of(host.facts)].append(host)
        inside = [some for rack, some in racks.items() if rack is not None]
        return max((_most(roles, some, most_on_spot=most_on_spot) for some in inside), default=0)
    eligible = None
    if spread:
        holds = {rack_of(host.facts) for host in fleet(cluster, emptied=True) if _most([(roles[0][0], 1)], [host])}
        eligible = holds - {None}
    return _most(roles, hosts, eligible, most_on_spot)


def rack_of(facts):
    """What identifies a worker's rack, None where it names none."""
    return tuple(facts.get(level) for level in PATH) if facts.get("rack") else None


def _most(roles, hosts, racks=None, most_on_spot=None):
    program, here = Program(), defaultdict(list)
    for shape, number in roles:
        copies = []
        for host in hosts:
            if passes(host, shape) and host.has(shape.get("cpu"), shape.get("ram")):
                copies += _copies(program, shape, host, here)
        program.at_most([(each, 1) for each in copies], number)
    for host in hosts:
        _limit(program, host, here)
    if racks is not None:
        _balance(program, hosts, here, racks)
    if most_on_spot is not None:
        lent = [host.name for host in hosts if host.facts.get("spot")]
        program.at_most([(copies, 1) for name in lent for copies, _ in here[name]], most_on_spot)
    return program.best()


def _copies(program, shape, host, here):
    """One number for each kind of card: so many members, each on `count` different ones."""
    gpus, found = shape["gpus"], []
    for kind in {card.kind for card in host.cards}:
        cards = [card for card in host.cards if card.kind == kind and usable(card, shape) is not None]
        cards = [card for card in cards if bare_fits(gpus, card)]
        if len(cards) < gpus["count"]:
            continue
        copies = program.number(gain=1)
        shares = [program.number() for _ in cards]
        program.at_most([(copies, gpus["count"]), *((share, -1) for share in shares)], 0)
        for card, share in zip(cards, shares, strict=True):
            program.at_most([(share, 1), (copies, -1)], 0)
            here["whole" if "memory" not in gpus else "share", host.name, card.index].append((share, gpus))
        here[host.name].append((copies, shape))
        found.append(copies)
    return found


def _limit(program, host, here):
    """What the worker and its cards have."""
    for name, free in (("cpu", host.cpu), ("ram", host.ram)):
        asked = [(copies, shape[name]) for copies, shape in here[host.name] if shape.get(name)]
        if asked:
            program.at_most(asked, free)
    for card in host.cards:
        wholes = [share for share, _ in here["whole", host.name, card.index]]
        shares = here["share", host.name, card.index]
        program.at_most([(whole, 1) for whole in wholes], 1)
        program.at_most([(share, gpus["memory"]) for share, gpus in shares], card.free)
        program.at_most([(share, gpus.get("computePercent", 0)) for share, gpus in shares], card.compute)
        for share, _ in shares:
            program.at_most([(share, 1), *((whole, PLENTY) for whole in wholes)], PLENTY)


def _balance(program, hosts, here, racks):
    """Members of the racks that count differ by at most one; elsewhere stands nobody."""
    sums = {rack: [] for rack in racks}
    for host in hosts:
        for copies, _ in here[host.name]:
            sums.get(rack_of(host.facts), sums.setdefault(None, [])).append((copies, 1))
    program.at_most(sums.pop(None, []), 0)
    for one, other in permutations(sums.values(), 2):
        program.at_most([*one, *((copies, -1) for copies, _ in other)], 1)


def verdict_of(placed, desired, minimum, when_empty):
    """What the most that fit now, and with every booking gone, make of a gang: its verdict, and who is placed."""
    placed = min(placed, desired)
    if placed < minimum:
        return ("waiting" if when_empty >= minimum else "infeasible"), 0
    return ("fits" if placed == desired else "partly"), placed
