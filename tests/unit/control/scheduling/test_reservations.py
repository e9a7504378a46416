import asyncio

from bayplan.control.collections import NODES
from bayplan.control.scheduling.queue_document import queue_document
from bayplan.control.store import Key
from unit.control.scheduling.scheduler import pod, running, virtually, worker, workload


async def stream(system, number, **spec):
    """One small Pod comes, and the oldest one ends: the cluster always has work that fits into one card."""
    await system.create(pod(f"small-{number}", **spec))
    where = await system.where()
    bound = sorted((name for name, node in where.items() if node and name.startswith("small")), key=_number)
    if bound:
        await system.delete(bound[0])
    await asyncio.sleep(10)
    await system.settle()


def _number(name):
    return int(name.rpartition("-")[2])


@virtually
async def test_a_large_gang_lands_although_small_work_keeps_coming():
    async with running(worker("a", 4)) as system:
        for number in range(4):
            await system.create(pod(f"small-{number}"))
        await system.workload(workload("gang", 4, gang={}))

        for number in range(4, 40):
            await stream(system, number)
            if (await system.where())["gang-0"]:
                break

        assert (await system.where())["gang-0"] == "a"


@virtually
async def test_the_queue_shows_the_reservation_and_when_it_ends():
    async with running(worker("a", 4)) as system:
        await system.create(pod("small"))
        await system.workload(workload("gang", 4, gang={}))
        await asyncio.sleep(61)
        await system.settle()

        (item,) = (await queue_document(system.loop))["items"]

        assert item["reservation"]["workers"] == ["a"]
        assert item["state"] == "waiting"
        assert item["blocked_by"] == ["gpu-count-short"]
        assert "Reserved" in await system.told("gang")

        await asyncio.sleep(1801)
        await system.create(pod("late"))

        assert (await system.where())["late"] == "a"


@virtually
async def test_work_that_ends_in_time_and_work_of_more_weight_may_use_the_room():
    async with running(worker("a", 4)) as system:
        await system.create(pod("limited", activeDeadlineSeconds=3600))
        await system.workload(workload("gang", 4, gang={}))
        await asyncio.sleep(61)
        await system.settle()

        await system.create(
            pod("endless"), pod("short", activeDeadlineSeconds=600), pod("long", activeDeadlineSeconds=7200),
            pod("urgent", priority=5),
        )  # fmt: skip

        where = await system.where()
        assert (where["short"], where["urgent"]) == ("a", "a")
        assert (where["endless"], where["long"]) == (None, None)


@virtually
async def test_the_queue_says_when_a_start_is_expected_where_pods_have_a_time_limit():
    async with running(worker("a", 2)) as system:
        await system.create(pod("first", activeDeadlineSeconds=600), pod("second", activeDeadlineSeconds=60))
        await system.create(pod("later"))

        (item,) = (await queue_document(system.loop))["items"]

        assert item["expected_start"]["at"] == "2026-01-01T00:01:00Z"
        assert "one Pod reaches its time limit" in item["expected_start"]["basis"]


@virtually
async def test_the_queue_says_unknown_where_no_pod_has_a_time_limit():
    async with running(worker("a", 1)) as system:
        await system.create(pod("first"))
        await system.create(pod("second"), pod("third", priority=3))

        first, second = (await queue_document(system.loop))["items"]

        assert (first["workload"], second["workload"]) == ("third", "second")
        assert second["ahead_names"] == ["default/third"]
        assert first["expected_start"]["at"] is None


async def waits_long(system, *, name="gang", replicas=4, gpus=1):
    """A gang that gets room kept for it."""
    await system.workload(workload(name, replicas, gpus=gpus, gang={}))
    await asyncio.sleep(61)
    await system.settle()


def kept_on(system):
    """The workers on which room is kept, with the number of cards."""
    bookings = system.loop.live.state.ledger.bookings
    return {each.worker: len(each.cards) for each in bookings if each.workload.endswith("(reserved)")}


@virtually
async def test_room_of_others_is_used_only_where_there_is_no_other():
    async with running(worker("a", 4), worker("b", 1)) as system:
        await system.create(pod("small", 2))
        await waits_long(system, replicas=2, gpus=2)
        assert kept_on(system) == {"a": 2}

        await system.create(pod("urgent", priority=5))
        assert (await system.where())["urgent"] == "b"
        await system.create(pod("second", priority=5))
        assert (await system.where())["second"] == "a"
        assert kept_on(system) == {"a": 1}


@virtually
async def test_room_is_given_back_when_the_gang_goes_starts_or_can_never_fit():
    async with running(worker("a", 4)) as system:
        await system.create(pod("small"))
        await waits_long(system)
        assert kept_on(system) == {"a": 3}
        await system.delete(*(f"gang-{number}" for number in range(4)))
        assert kept_on(system) == {}

        await waits_long(system, name="again")
        assert kept_on(system) == {"a": 3}
        await system.delete("small")
        assert (await system.where())["again-0"] == "a"
        assert kept_on(system) == {}
        await system.whole()


@virtually
async def test_room_is_given_back_when_the_gang_asks_for_what_can_never_be():
    async with running(worker("a", 4)) as system:
        await system.create(pod("small"))
        await waits_long(system)
        assert len(system.loop.reservations) == 1

        def change(old):
            old["spec"]["gpus"] = {"count": 64}
            return old

        await system.patch("Workload", "gang", change)

        assert len(system.loop.reservations) == 0
        await system.create(pod("late"))
        assert (await system.where())["late"] == "a"


@virtually
async def test_what_becomes_free_on_one_worker_changes_what_is_kept_on_that_one_alone():
    async with running(*(worker(name, 2) for name in "abc")) as system:
        await system.create(*(pod(f"small-{name}") for name in "abc"))
        await waits_long(system, replicas=6)
        (reservation,) = system.loop.reservations._kept.values()
        before = dict(reservation.bookings)
        assert set(reservation.workers) == {"a", "b", "c"}
        freed = (await system.where())["small-b"]
        await system.delete("small-b")

        after = reservation.bookings
        assert {name for name in after if after[name] != before.get(name)} == {freed}
        assert len(after[freed].cards) == 1 + len(before[freed].cards if freed in before else ())


@virtually
async def test_at_most_four_have_room_kept_and_others_are_looked_at_again():
    async with running(*(worker(f"w{number}", 2) for number in range(6))) as system:
        await system.create(*(pod(f"small-{number}") for number in range(6)))
        where = await system.where()
        assert len(set(where.values())) < 7
        await system.create(*(pod(f"more-{number}") for number in range(6)))
        for number in range(6):
            await system.workload(workload(f"gang-{number}", 2, gang={}))
        await asyncio.sleep(61)
        await system.settle()

        kept = len(system.loop.reservations)
        assert 1 <= kept <= 4
        assert len(kept_on(system)) <= kept
        waiting = {each.unit.key for each in system.loop.waiting}
        assert waiting <= {*system.loop._alarms._set}


@virtually
async def test_a_reservation_in_vain_is_not_worked_out_with_every_event():
    async with running(worker("a", 4)) as system:
        await system.create(pod("small"))
        await waits_long(system)
        await waits_long(system, name="rival")
        assert len(system.loop.reservations) == 1
        tried = []
        workers_for = system.loop.reservations._workers_for
        system.loop.reservations._workers_for = lambda sized: tried.append(sized) or workers_for(sized)
        for number in range(10):
            await system.create(pod(f"short-{number}", 0))
            await system.delete(f"short-{number}")
        assert tried == []
        await asyncio.sleep(61)
        await system.settle()

        assert len(tried) == 1


@virtually
async def test_nothing_is_kept_of_units_that_are_gone():
    async with running(worker("a", 4)) as system:
        await system.create(pod("small"))
        await waits_long(system)
        await waits_long(system, name="rival")
        names = [name for name in await system.where() if name != "small"]
        await system.delete(*names)

        reservations = system.loop.reservations
        assert (reservations._kept, reservations._not_before_s) == ({}, {})
        assert system.loop._alarms._set == {}


@virtually
async def test_a_worker_that_goes_while_room_is_kept_on_it():
    async with running(worker("a", 4), worker("b", 4)) as system:
        await system.create(pod("small-a"), pod("small-b", 4))
        await waits_long(system)
        (room,) = kept_on(system)
        await system.store.delete(Key(NODES, "", room))
        await asyncio.sleep(1)
        await system.delete(*(f"gang-{number}" for number in range(4)))

        assert kept_on(system) == {}
