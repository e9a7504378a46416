from bayplan.routing.prefix.block_hashes import Chain
from bayplan.sim.routing.pickers.unlimited_cache import UnlimitedCache, UnlimitedIndex
from unit.sim.routing.traces import request

LONG = tuple(range(30))


def test_everything_that_was_sent_anywhere_is_known():
    index = UnlimitedIndex()
    index.add(Chain((1, 2, 3), 3), 0.0)
    index.shrink(0)

    assert [index.matched(Chain(blocks, len(blocks))) for blocks in ((1, 2, 3, 4), (1, 9), (), (7,))] == [3, 1, 0, 0]


def test_requests_wait_until_there_is_room_and_survive_the_loss_of_an_engine():
    picker = UnlimitedCache(1, 100, 0.1)
    first = picker.arrive(request("a", 0.0, *LONG), 0.0)

    assert (first, picker.arrive(request("b", 0.0, *LONG, 31), 0.0)) == ([("a", 0)], [])
    assert picker.lose(0, [request("a", 0.0, *LONG)], 1.0) == []
    assert sorted(id_ for id_, _ in picker.regain(0, 2.0)) == ["a", "b"]
    assert picker.first_token("a", 3.0) == []
    assert picker.complete("a", 4.0) == []
    assert picker.tick(5.0) == []
