from bayplan.routing.flow.band import SWEEP_FROM, Band
from bayplan.routing.flow.flow_settings import BandSettings
from bayplan.routing.flow.waiting_request import WaitingRequest
from bayplan.routing.requests.routed_request import RoutedRequest


def band():
    return Band(0, BandSettings(1000, 100, None, None))


def waiting(number, flow="f", key=None, size_bytes=1):
    made = WaitingRequest(RoutedRequest(f"r{number}", fairness_id=flow, size_bytes=size_bytes), number, None, None)
    made.key = (0.0 if key is None else key, number)
    return made


def test_flows_are_sorted_and_know_their_first():
    held, first, second, third = band(), waiting(1, "b"), waiting(2, "a"), waiting(3, "b", key=-1.0)
    for each in (first, second, third):
        held.add(each)

    assert (held.flows, held.waiting, held.waiting_bytes) == (["a", "b"], 3, 3)
    assert [held.head("a"), held.head("b"), held.best()] == [second, third, third]
    assert held.heads() == [second, third]

    held.remove(third)
    assert (held.head("b"), held.best()) == (first, first)
    held.remove(second)
    held.remove(first)
    assert (held.flows, held.waiting, held.waiting_bytes) == ([], 0, 0)


def test_the_best_of_all_sees_who_comes_later():
    held = band()
    held.add(waiting(1, "a"))
    held.best()
    better = waiting(2, "b", key=-1.0)
    held.add(better)

    assert held.best() is better


def test_those_that_left_do_not_fill_the_memory():
    held, first = band(), waiting(0)
    held.add(first)
    held.best()
    for number in range(1, 10 * SWEEP_FROM):
        each = waiting(number)
        held.add(each)
        held.remove(each)

    assert len(held._by_name["f"].heap) <= SWEEP_FROM + 4
    assert len(held._all) <= SWEEP_FROM + 4
    assert (held.head("f"), held.best()) == (first, first)
