"""Whether cards are as near to each other as a workload wants them."""

import pytest

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.filters.gpu_fit import GpuFit
from bayplan.placement.filters.locality import NearCards
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, judge, keeps_its_promises, worker

NVLINK, SOCKET = Locality.NVLINK, Locality.SAME_SOCKET
CARDS = [gpu(number, memory_mib=40, numa=number // 4, pcie_gen=4) for number in range(8)]
UNSEATED = [gpu(number, memory_mib=40) for number in range(4)]


def wholes(count, locality, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), locality=locality, **others)


def on(wiring, cards=CARDS):
    return worker(cards=cards, links=None if wiring is None else wire(wiring, cards))


def said(asked, where, *held):
    bookings = (booking("other", *held),) if held else ()
    verdict = judge(NearCards(), asked, where, bookings=bookings)
    return verdict.code, verdict.needed, verdict.free, verdict.curable


REFUSED = {
    "two quads are two islands": (wholes(8, NVLINK), on(Wiring.NVLINK_QUADS), (), 8, 4, False),
    "pairs do not join three": (wholes(3, NVLINK), on(Wiring.NVLINK_PAIRS), (), 3, 2, False),
    "PCIe joins nobody": (wholes(2, NVLINK), on(Wiring.PCIE), (), 2, 1, False),
    "links that nobody told": (wholes(2, NVLINK), on(None), (), 2, 1, False),
    "a quad is there, but held": (
        wholes(3, NVLINK), on(Wiring.NVLINK_QUADS), (whole(0), whole(1), whole(6), whole(7)), 3, 2, True,
    ),
    "a path through a held card does not count": (
        wholes(2, NVLINK), on(Wiring.HYBRID_CUBE_MESH), tuple(map(whole, (1, 2, 3, 4, 6, 7))), 2, 1, True,
    ),
    "five on a socket of four": (wholes(5, SOCKET), on(Wiring.NVSWITCH), (), 5, 4, False),
    "one free on each socket": (
        wholes(2, SOCKET), on(Wiring.NVSWITCH), tuple(map(whole, (0, 1, 2, 5, 6, 7))), 2, 1, True,
    ),
    "sockets that nobody told": (wholes(2, SOCKET), on(Wiring.NVSWITCH, UNSEATED), (), 2, 1, False),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "where", "held", "needed", "free", "curable"), REFUSED.values(), ids=REFUSED)
def test_refused(asked, where, held, needed, free, curable):
    assert said(asked, where, *held) == ("locality", needed, free, curable)


KEPT = {
    "a switch": (wholes(8, NVLINK), on(Wiring.NVSWITCH), ()),
    "one card": (wholes(1, NVLINK), on(Wiring.PCIE), ()),
    "one card on an unknown socket": (wholes(1, SOCKET), on(None, UNSEATED), ()),
    "what is left of a quad": (wholes(2, NVLINK), on(Wiring.NVLINK_QUADS), tuple(map(whole, (0, 1, 2, 5, 6)))),
    "a socket": (wholes(4, SOCKET), on(None), (whole(0),)),
    "nothing is demanded": (wholes(8, None), on(Wiring.PCIE), ()),
    "too few cards are another's question": (wholes(9, NVLINK), on(Wiring.PCIE), ()),
    "no cards at all": (ask(locality=NVLINK), on(None), ()),
}


@pytest.mark.parametrize(("asked", "where", "held"), KEPT.values(), ids=KEPT)
def test_kept(asked, where, held):
    assert said(asked, where, *held)[0] is None


def test_the_number_of_cards_is_not_in_question():
    bookings = (booking("other", whole(0), whole(4)),)

    assert judge(GpuFit(), wholes(6, NVLINK), on(Wiring.NVLINK_QUADS), bookings=bookings).code is None
    assert judge(GpuFit(), wholes(7, NVLINK), on(Wiring.NVLINK_QUADS), bookings=bookings).code == "gpu-count-short"


MESSAGES = {
    "joined": (
        wholes(8, NVLINK), on(Wiring.NVLINK_QUADS),
        "needs 8 cards joined by NVLink; of its 8 free ones at most 4 are",
    ),
    "links unknown": (
        wholes(2, NVLINK), on(None),
        "needs 2 cards joined by NVLink; how its cards are linked is not known",
    ),
    "socket": (
        wholes(5, SOCKET), on(None), "needs 5 cards on one socket; of its 8 free ones at most 4 are",
    ),
    "sockets unknown": (
        wholes(2, SOCKET), on(None, UNSEATED),
        "needs 2 cards on one socket; the sockets of its cards are not known",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "where", "message"), MESSAGES.values(), ids=MESSAGES)
def test_what_people_read(asked, where, message):
    assert judge(NearCards(), asked, where).message == message


def test_shares_are_curable_where_the_cards_are_large_enough():
    asked = ask(
        taking=Taking.SHARE, shapes=(CardShape(2, 30),), rule=CardRule(needs_memory=True), locality=NVLINK
    )  # fmt: skip
    held = [share(number, 20) for number in (0, 2, 4, 6)]

    assert said(asked, on(Wiring.NVLINK_PAIRS), *held) == ("locality", 2, 1, True)


def test_the_nearest_shape_is_told():
    """Eight cards would have room, and so would four: fewer of those are apart."""
    shapes = (CardShape(8, 10), CardShape(4, 20))
    asked = ask(taking=Taking.SHARE, shapes=shapes, rule=CardRule(needs_memory=True), locality=NVLINK)

    assert said(asked, on(Wiring.NVLINK_PAIRS)) == ("locality", 4, 2, False)


def test_contract():
    workers = [on(Wiring.NVSWITCH), on(Wiring.PCIE), on(Wiring.NVLINK_PAIRS), on(None)]
    made = {"fit_order": [0, -2, -4, -1], "card_rank": [[0] * 8] * 4, "card_leader": [[0] * 8] * 4}
    keeps_its_promises(NearCards(), workers, [wholes(4, NVLINK), wholes(5, SOCKET), wholes(2, None)], made=made)
