import asyncio

from bayplan.control.cache import Cache
from bayplan.control.collections import NODES
from bayplan.control.controllers.node_facts import NOTHING_KNOWN, KnownNodes
from unit.control.controllers.lab import lab, node, run


def test_facts_follow_the_nodes():
    async def scenario():
        async with lab() as it:
            cache = Cache(it.store, [NODES])
            nodes, changed = KnownNodes(cache), []
            nodes.listen(lambda models: changed.append(set(models)))
            await cache.start()
            await it.apply(node("a", **{"bayplan.io/worker": '{"usdPerHour": 3, "cachedModels": {"m": 0.5}}'}))
            await asyncio.sleep(1)
            first = nodes.get("a"), list(nodes.with_model("m"))
            await it.apply(node("a", **{"bayplan.io/worker": '{"cachedModels": ["n"]}'}))
            await asyncio.sleep(1)
            second = nodes.get("a"), list(nodes.with_model("m"))
            await it.delete(NODES, "a")
            await asyncio.sleep(1)
            await cache.stop()
            return first, second, nodes.get("a"), changed

    first, second, gone, changed = run(scenario())

    assert (first[0].usd_per_hour, first[0].models, first[1]) == (3, {"m"}, ["a"])
    assert (second[0].usd_per_hour, second[0].models, second[1]) == (None, {"n"}, [])
    assert gone == NOTHING_KNOWN
    assert changed == [{"m"}, {"m", "n"}, {"n"}]


def test_a_node_that_cannot_be_read_is_not_known():
    async def scenario():
        async with lab() as it:
            cache = Cache(it.store, [NODES])
            nodes = KnownNodes(cache)
            await it.apply(node("a", **{"bayplan.io/worker": "{"}))
            await cache.start()
            found = nodes.get("a")
            await cache.stop()
            return found

    assert run(scenario()) == NOTHING_KNOWN
