import asyncio

from bayplan.control.cache import Cache
from bayplan.control.collections import DEPLOYMENTS, REPLICA_SETS
from bayplan.control.controllers.owned_objects import OwnedObjects
from bayplan.control.controllers.references import controlled_by
from bayplan.control.store import Key
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.controllers.lab import clock, of_template, run


def test_objects_by_owner_with_what_was_just_written():
    async def scenario():
        async with EmbeddedStore(MemoryShelf(), clock=clock) as store:
            cache = Cache(store, [REPLICA_SETS])
            index, woken, free = OwnedObjects(cache, REPLICA_SETS), [], []
            index.listen(woken.append)
            index.listen_to_orphans(lambda each: free.append(each["metadata"]["name"]))
            await cache.start()
            deployment = of_template("Deployment")
            deployment["metadata"]["namespace"] = "default"
            owner = (await store.create(DEPLOYMENTS, deployment)).document()
            document = of_template("ReplicaSet", "s", replicas=1)
            document["metadata"] |= {"namespace": "default", "ownerReferences": controlled_by(owner)}
            made = (await store.create(REPLICA_SETS, document)).document()
            index.put(made)
            uid = owner["metadata"]["uid"]
            at_once = [each["spec"]["replicas"] for each in index.of(uid)]
            changed = (
                await store.patch(
                    Key(REPLICA_SETS, "default", "s"), lambda live: {**live, "spec": {**live["spec"], "replicas": 5}}
                )
            ).document()
            index.put(changed)
            index.put(made)
            newest = [each["spec"]["replicas"] for each in index.of(uid)]
            await asyncio.sleep(1)
            seen = [each["spec"]["replicas"] for each in index.of(uid)]
            await store.patch(Key(REPLICA_SETS, "default", "s"), _freed)
            await asyncio.sleep(1)
            orphans = [each["metadata"]["name"] for each in index.orphans("default")]
            await cache.stop()
            return at_once, newest, seen, index.of(uid), orphans, free, {str(each) for each in woken}

    def _freed(live):
        del live["metadata"]["ownerReferences"]
        return live

    at_once, newest, seen, last, orphans, free, woken = run(scenario())

    assert (at_once, newest, seen, last) == ([1], [5], [5], [])
    assert orphans == free == ["s"]
    assert woken == {"deployments.apps default/web"}
