"""Asks and workers for scorers that pack: whole cards, shares by memory or by compute, hosts with and without CPU."""

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from fleets import booking, share, whole
from unit.placement.builders import ask, worker


def wholes(count, cores=0, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), cpu_milli=cores * 1000, **others)


def part(mib, count=1, cores=0, **others):
    """A share of so many MiB of each of so many cards; a card has 40,960."""
    rule, shapes = CardRule(needs_memory=True), (CardShape(count, mib),)
    return ask(taking=Taking.SHARE, shapes=shapes, rule=rule, cpu_milli=cores * 1000, **others)


def percent(number, cores=0):
    """A share of compute."""
    shapes = (CardShape(1, 0),)
    return ask(taking=Taking.SHARE, shapes=shapes, compute_milli=number * 10, cpu_milli=cores * 1000)


def host(cards=0, cores=None, name="a", **others):
    return worker(name, cards=cards, cpu_milli=None if cores is None else cores * 1000, **others)


def held(*cards, mib=None, cores=0, on="a"):
    """Somebody who holds these cards, or so many MiB of each."""
    parts = [whole(card) if mib is None else share(card, mib) for card in cards]
    return booking("other", *parts, on=on, cpu_milli=cores * 1000)


ASKS = [wholes(1), wholes(2, 16), part(10_240), part(20_480, 2), percent(30), ask(cpu_milli=4000), ask()]
WORKERS = [host(1), host(4, 64), host(8, 500), host(0, 16), host(2, 1)]
"""For the contract of every such scorer."""
