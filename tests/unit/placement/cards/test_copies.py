"""How many copies the cards of a worker hold, seen through the filters; more cases are in the tests of rooms."""

from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape, Taking
from unit.placement.builders import ask, worker
from unit.placement.gangs.test_worker_rooms import rooms


def cards(count, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), **others)


def test_cards_whose_links_matter_are_not_counted():
    assert rooms(cards(2, locality=Locality.NVLINK), worker(cards=4)) is None


def test_links_do_not_matter_where_none_are_asked_for():
    assert rooms(cards(2), worker(cards=5)) == [2]


def test_workers_with_more_cards_than_a_mask_has_bits():
    assert rooms(cards(1), worker(cards=17)) is None
