"""Workers with NUMA zones, and Pods of several containers, in a few words."""

import numpy as np

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.workload import Container
from bayplan.placement.asks.ask import CardShape, Taking
from unit.placement.builders import ask, gpu, worker


def zoned(*zones, name="a", cards=(), policy="single-numa-node", scope="container", **others):
    """A worker; zones are (cores, MiB) or (cores, MiB, distances), `cards` the zone of each card."""
    listed = tuple(zone(number, *each) for number, each in enumerate(zones))
    gpus = [gpu(index, numa=numa) for index, numa in enumerate(cards)]
    return worker(name, cards=gpus, numa=Numa(policy, scope, listed), **others)


def zone(number, cores=None, ram_mib=None, distances=()):
    cpu_milli = None if cores is None else int(cores * 1000)
    return NumaZone(number, cpu_milli, ram_mib, FrozenMap(dict(enumerate(distances))))


def wants(cores=0, ram_mib=0, cards=0, **others):
    """A native workload: one guaranteed container, whole cards."""
    taking = {"taking": Taking.WHOLE, "shapes": (CardShape(cards),)} if cards else {}
    return ask(cpu_milli=int(cores * 1000), ram_mib=ram_mib, **{**taking, **others})


def pod(*containers, guaranteed=True, **others):
    """A Pod; containers are (cores, MiB) or (cores, MiB, cards)."""
    read = tuple(Container(int(cores * 1000), ram_mib, *cards) for cores, ram_mib, *cards in containers)
    cpu_milli, ram_mib = sum(each.cpu_milli for each in read), sum(each.ram_mib for each in read)
    cards = sum(each.cards for each in read)
    return wants(cpu_milli / 1000, ram_mib, cards, **{"containers": read, "guaranteed": guaranteed, **others})


def usable(workers):
    """The columns of `usable-cards` where all cards are of one kind, and may be used."""
    shape = len(workers), max(1, *(len(each.gpus) for each in workers))
    return {
        "card_rank": np.zeros(shape, np.int16),
        "card_leader": np.zeros(shape, np.int16),
        "card_kinds": np.ones(shape[0], np.int16),
        "card_usable": np.ones(shape, np.bool_),
    }
