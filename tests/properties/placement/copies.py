"""How many equal replicas fit at most: an integer program for HiGHS over every worker, kind of card and shape."""

from collections import defaultdict

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from properties.placement.dividing import divisions, fits, host_need, kept
from properties.placement.fitting import bare_fits
from properties.placement.fleet import backend_of, passes, usable

PLENTY = 50


class Program:
    """Whole numbers to be found, and sums of them that must not be more than a bound."""

    def __init__(self):
        self.gains, self.rows = [], []

    def number(self, gain=0):
        self.gains.append(gain)
        return len(self.gains) - 1

    def at_most(self, factors, bound):
        self.rows.append((dict(factors), bound))

    def best(self):
        if not self.gains:
            return 0
        matrix = np.zeros((len(self.rows) or 1, len(self.gains)))
        bounds = np.array([bound for _, bound in self.rows] or [0.0])
        for row, (factors, _) in enumerate(self.rows):
            for column, factor in factors.items():
                matrix[row, column] += factor
        limits = LinearConstraint(matrix, ub=bounds)
        found = milp(
            -np.array(self.gains), constraints=limits, integrality=np.ones(len(self.gains)), bounds=Bounds(0, PLENTY)
        )
        assert found.status == 0, found.message
        return round(-found.fun)


def most_copies(spec, hosts):
    """The most replicas of one worker each that the cluster holds at once, in whatever tiers."""
    program = Program()
    for host in hosts:
        if passes(host, spec):
            _add(program, spec, host)
    return program.best()


def _add(program, spec, host):
    cpu, ram = spec.get("cpu", 0), spec.get("ram", 0)
    taken = defaultdict(list)
    used = []
    for cards, takes, costs in _shapes(spec, len(host.cards)):
        for kind in {card.kind for card in host.cards}:
            mine = [card for card in host.cards if card.kind == kind and usable(card, spec) is not None and takes(card)]
            if len(mine) >= cards and host.has(cpu, ram):
                used.append((_copies_on(program, mine, cards, costs, taken), ram))
    if _may_use_cpu(spec) and host.has(cpu, ram + host_need(spec["model"])):
        used.append((program.number(gain=1), ram + host_need(spec["model"])))
    for card in host.cards:
        program.at_most([(number, memory) for number, memory, _ in taken[card.index]], card.free)
        program.at_most([(number, compute) for number, _, compute in taken[card.index]], card.compute)
    for asked, free in (([(number, cpu) for number, _ in used], host.cpu), (used, host.ram)):
        if any(amount for _, amount in asked):
            program.at_most(asked, free)


def _copies_on(program, cards, each, costs, taken):
    """So many copies, each on `each` different ones of these cards."""
    copies = program.number(gain=1)
    shares = [program.number() for _ in cards]
    program.at_most([(copies, each), *((share, -1) for share in shares)], 0)
    for card, share in zip(cards, shares, strict=True):
        program.at_most([(share, 1), (copies, -1)], 0)
        taken[card.index].append((share, *costs(card)))
    return copies


def _shapes(spec, widest):
    gpus = spec.get("gpus", {})
    if "model" not in spec:
        memory, compute = gpus.get("memory", 0), gpus.get("computePercent", 0)
        yield gpus.get("count", 1), lambda card: bare_fits(gpus, card), lambda card: (memory, compute)
        return
    for each in divisions(spec, widest):
        if gpus.get("count") in (None, each.cards):
            yield (
                each.cards,
                lambda card, each=each: fits(spec, each, card),
                lambda card, each=each: (kept(spec, each, card), 0),
            )


def _may_use_cpu(spec):
    counted = "count" in spec.get("gpus", {})
    return "model" in spec and not counted and bool(spec.get("cpuOffload")) and backend_of(spec) == "custom"
