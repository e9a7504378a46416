from bayplan.sim.engine.batching.sequence import Sequence
from bayplan.sim.routing.shared_cache import SharedCachePool
from unit.sim.routing.traces import SPEC


def engines(count=2):
    computed = set()
    made = [SPEC.engine(100) for _ in range(count)]
    for engine in made:
        engine.pool = SharedCachePool(engine.limits.blocks, computed)
    return made


def test_an_engine_finds_what_another_computed():
    first, second = engines()
    first.submit(Sequence(300, 1, (1, 2, 3)), 0.0)
    first.advance(10.0)
    later = Sequence(350, 1, (1, 2, 3))
    second.submit(later, 10.0)
    second.advance(20.0)

    assert later.cached_tokens == 300


def test_blocks_in_use_take_room_once_and_none_afterwards():
    (engine,) = engines(1)
    for _ in range(2):
        engine.submit(Sequence(300, 50, (1, 2)), 0.0)
    engine.advance(0.5)

    assert engine.pool.pinned == 2
    assert engine.pool.in_use == 2 + 2 * 2  # each has tokens of its own beyond the shared blocks
    engine.advance(100.0)
    assert engine.pool.in_use == 0


def test_blocks_that_are_found_but_not_here_need_room():
    pool = SharedCachePool(4, {1, 2, 3})

    assert pool.match((1, 2, 3, 9)) == 3
    assert pool.match((1, 2, 3)) == 3
    assert pool.count_kept((1, 2, 3)) == 3
    pool.pin((1, 2, 3))
    assert pool.count_kept((1, 2, 3)) == 0
    assert pool.available == 1
