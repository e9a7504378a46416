from bayplan.sim.engine.batching.block_pool import BlockPool


def pool_with(capacity, *prompts):
    """A pool after requests with these blocks have come and gone, in order."""
    pool = BlockPool(capacity)
    for blocks in prompts:
        use(pool, blocks)
        pool.give_back(blocks, 0)
    return pool


def use(pool, blocks):
    hits = pool.match(blocks)
    pool.pin(blocks[:hits])
    pool.take(len(blocks) - hits)
    pool.publish(blocks[hits:])


def counts(pool):
    return {"free": pool.free, "private": pool.private, "pinned": pool.pinned, "kept": pool.kept}


def test_blocks_of_a_finished_request_are_kept():
    pool = pool_with(10, "abc")

    assert counts(pool) == {"free": 7, "private": 0, "pinned": 0, "kept": 3}
    assert (pool.in_use, pool.available) == (0, 10)


def test_a_hit_ends_at_the_first_block_that_is_not_there():
    pool = pool_with(10, "abc")

    assert pool.match("abxc") == 2
    assert pool.match("xbc") == 0
    assert pool.match("") == 0


def test_private_blocks_are_in_use_and_cannot_be_hit():
    pool = BlockPool(10)
    pool.take(4)

    assert counts(pool) == {"free": 6, "private": 4, "pinned": 0, "kept": 0}
    assert pool.in_use == 4


def test_shared_blocks_are_counted_once():
    pool = BlockPool(10)
    use(pool, "ab")
    use(pool, "abc")

    assert counts(pool) == {"free": 7, "private": 0, "pinned": 3, "kept": 0}

    pool.give_back("abc", 0)
    assert counts(pool) == {"free": 7, "private": 0, "pinned": 2, "kept": 1}


def test_a_block_that_two_requests_computed_is_held_once():
    pool = BlockPool(10)
    pool.take(4)
    pool.publish("ab")
    pool.publish("ab")

    assert counts(pool) == {"free": 8, "private": 0, "pinned": 2, "kept": 0}


def test_a_block_that_is_computed_again_while_it_is_kept_is_held_once():
    pool = pool_with(10, "ab")
    pool.take(2)
    pool.publish("ab")

    assert counts(pool) == {"free": 8, "private": 0, "pinned": 2, "kept": 0}


def test_the_least_recently_used_blocks_make_way():
    pool = pool_with(6, "ab", "cd", "ab")
    pool.take(3)

    assert pool.match("cd") == 1, "the end of a prompt goes before its beginning"
    assert pool.match("ab") == 2
    pool.take(1)
    assert pool.match("cd") == 0
    assert pool.match("ab") == 2


def test_pinned_blocks_stay():
    pool = BlockPool(4)
    use(pool, "ab")
    pool.take(2)

    assert pool.available == 0
    assert pool.match("ab") == 2


def test_kept_blocks_among_hits_are_counted():
    pool = pool_with(6, "abc")
    use(pool, "a")

    assert pool.count_kept("abc") == 2
