import asyncio
import json
import subprocess
import sys

from bayplan.control.scheduling import records
from bayplan.library.replay import replay
from unit.control.scheduling.scheduler import pod, running, virtually, worker, workload


async def scenario(system):
    await system.workload(workload("chat", 3, gpus=2, priority=1))
    await system.create(pod("one", 1), pod("two", 3))
    await system.workload(workload("gang", 9, gang={"minimum": 4}))
    await system.delete("one")
    await system.workload(workload("urgent", 1, gpus=4, priority=10, preemption="lower-priority"))
    await system.patch("Node", "b", lambda old: {**old, "spec": {"unschedulable": True}})
    await system.create(pod("late", 2))


@virtually
async def test_every_decision_can_be_made_again_from_its_record_alone():
    async with running(worker("a"), worker("b", 4), worker("c", 2, region="eu")) as system:
        await scenario(system)

        heads = system.records.newest()

        assert {each["outcome"] for each in heads} >= {"bound", "refused", "reserved"}
        assert len(heads) > 5
        for each in heads:
            record = json.loads(json.dumps(system.records.exported(each["id"])))
            assert replay(record)["differences"] == []


@virtually
async def test_a_record_is_replayed_in_a_fresh_process():
    async with running(worker("a"), worker("b", 4)) as system:
        await scenario(system)
        record = system.records.exported(system.records.newest()[-1]["id"])
    program = "import json,sys; from bayplan.library.replay import replay; print(replay(json.load(sys.stdin))['same'])"

    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(record), capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "True"


@virtually
async def test_a_changed_record_is_noticed():
    async with running(worker("a"), worker("b", 4)) as system:
        await system.create(pod("one"))
        record = json.loads(json.dumps(system.records.exported(system.records.newest()[0]["id"])))
    record["inputs"]["cluster"]["workers"][0]["status"] = "cordoned"
    record["inputs"]["cluster"]["workers"][1]["status"] = "cordoned"

    found = replay(record)

    assert not found["same"]
    assert any(each["place"] == "plan.verdict" for each in found["differences"])


class Shelf:
    """An archive in memory that counts how often it is read."""

    def __init__(self):
        self.written, self.reads = {}, 0

    def write(self, record):
        self.written[record["id"]] = json.loads(json.dumps(record))

    def read(self, id):  # noqa: A002
        self.reads += 1
        return self.written.get(id)

    def newest(self, most):
        return list(self.written.values())[: -most - 1 : -1]


@virtually
async def test_decisions_never_wait_for_the_archive():
    archive = Shelf()
    async with running(worker("a", 1), archive=archive) as system:
        await system.create(pod("one"), pod("two"), pod("three", 2))
        await system.delete("one")
        await system.create(pod("four"))

        assert archive.reads == 0
        assert {each["outcome"] for each in archive.written.values()} == {"bound", "refused"}


@virtually
async def test_old_records_are_read_from_the_archive():
    archive = Shelf()
    async with running(worker("a"), archive=archive) as system:
        await system.create(pod("one"))
        (head,) = system.records.newest()
        system.records._kept.clear()

        assert system.records.get(head["id"])["outcome"] == "bound"
        assert [each["id"] for each in system.records.newest()] == [head["id"]]
        assert "inputs" not in system.records.exported(head["id"])
        assert system.records.get("9-9") is None


def test_memory_is_bounded_by_records_and_by_replicas(monkeypatch):
    monkeypatch.setattr(records, "MOST", 5)
    monkeypatch.setattr(records, "MOST_REPLICAS", 12)

    @virtually
    async def scenario():
        async with running(worker("a", 8), worker("b", 8), worker("c", 8)) as system:
            for number in range(8):
                await system.create(pod(f"p{number}", 0))
            assert len(system.records.newest()) == 5

            for number in range(4):
                await system.workload(workload(f"w{number}", 6, gang={}))

            assert len(system.records.newest()) == 2
            assert system.records._replicas == 12

    scenario()


@virtually
async def test_a_decision_beside_a_reservation_is_replayed():
    async with running(worker("a", 4), worker("b", 2)) as system:
        await system.create(pod("small"))
        await system.workload(workload("gang", 6, gang={}))
        await asyncio.sleep(61)
        await system.settle()
        assert len(system.loop.reservations) == 1
        await system.create(pod("late"))

        for each in system.records.newest():
            record = json.loads(json.dumps(system.records.exported(each["id"])))
            assert replay(record)["differences"] == []
