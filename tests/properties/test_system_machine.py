"""All loops, a simulated fleet and a store with faults, in virtual time: what must never happen does not happen."""

import asyncio
import contextlib
import os
import random

import pytest
from hypothesis import Phase, seed, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bayplan.control.collections import NODES, POD_GROUPS, PODS, WORKLOADS
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.scheduling.units import is_pending
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import AlreadyExistsError, ForbiddenError, NotFoundError
from bayplan.control.system import ControlSystem
from bayplan.library.invariants.checks import check_invariants
from bayplan.library.invariants.stored_objects import KINDS
from bayplan.library.plan import plan
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.marks import WORKLOAD
from bayplan.manifests.reader import Document
from bayplan.sim.fleet.fleet import SimulatedFleet
from bayplan.sim.virtual_time import VirtualLoop
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from properties.faulty_store import FaultyStore

WORKERS = {"a": 1, "b": 2, "c": 4, "d": 8}
"""The cards of each: a worker that comes back has the same ones."""
NAMES = ("one", "two", "three")
SEED = os.environ.get("BAYPLAN_SEED")
EXAMPLES = int(os.environ.get("BAYPLAN_MACHINES") or ("500" if os.environ.get("CI") else "60"))
PARTS = 4
"""The examples are divided, so that several processes can run them."""
CHECKED = {"I1", "I2", "I4", "I7", "I13"}
"""Whether gangs are whole is judged when Pods are bound: a member that dies later is replaced."""
CARDS = {"model": "A100-SXM4-80GB", "memory": "80Gi"}


class System(RuleBasedStateMachine):
    """Rules are what people and machines do; after each, the loops have a little time."""

    @initialize(seed=st.integers(0, 2**32), faults=st.booleans())
    def begin(self, seed, faults):
        self.random = random.Random(seed)  # noqa: S311
        self.loop = VirtualLoop()
        self.faults = faults
        self.store = EmbeddedStore(MemoryShelf(), clock=self.loop.clock)
        self.run(self.store.start())
        self.gangs, self.full = {}, False
        self.boot()

    def teardown(self):
        if hasattr(self, "loop"):
            self.run(self.halt())
            self.run(self.store.close())
            self.loop.close()

    def run(self, work):
        asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(work)

    def boot(self):
        chance = self.random.random if self.faults else lambda: 1.0
        faulty = FaultyStore(self.store, chance, self.bound, lambda: self.full)
        self.system = ControlSystem(faulty, clock=self.loop.clock)
        self.fleet = SimulatedFleet(
            self.store, self.system.cache, self.system.events, self.loop.clock, heartbeats=self.system.heartbeats
        )
        self.run(self.start())

    def bound(self, bindings):
        """A bind leaves no gang with fewer Pods than its owner asked for just now."""
        shelf = self.store._shelf
        rows = shelf.scan(PODS, "", after=("", ""), limit=10_000, revision=shelf.revision())
        pods = [each.stored.document() for each in rows]
        for name in {binding.pod.rpartition("-")[0] for binding in bindings}:
            wanted = self.gangs.get(name)
            if wanted:
                own = [each for each in pods if each["metadata"].get("labels", {}).get(WORKLOAD) == name]
                held = [each for each in own if each["spec"].get("nodeName")]
                assert len(held) >= min(wanted), f"{name}: {len(held)} of {wanted}"

    async def start(self):
        await self.system.start()
        self.fleet.start()
        await asyncio.sleep(0.2)

    async def halt(self):
        await self.fleet.stop()
        await self.system.stop()

    async def attempt(self, work):
        """Do what a person does; a refusal of the store is an answer."""
        with contextlib.suppress(NotFoundError, AlreadyExistsError, ForbiddenError):
            await work
        await asyncio.sleep(0.3)

    def do(self, work):
        self.run(self.attempt(work))
        assert self.system.failed is None, self.system.failed

    @rule(name=st.sampled_from(sorted(WORKERS)))
    def add_worker(self, name):
        described = {"name": name, "cpu": 32, "ram": "256Gi", "gpus": {"count": WORKERS[name], **CARDS}}
        (worker,) = read_inventory([Document({"workers": [described]}, "test")]).cluster.workers
        self.do(self.store.create(NODES, node_document(worker, "simulated")))

    @rule(name=st.sampled_from(sorted(WORKERS)))
    def remove_worker(self, name):
        self.do(self.store.delete(Key(NODES, "", name)))

    @rule(name=st.sampled_from(sorted(WORKERS)), closed=st.booleans())
    def cordon(self, name, closed):
        def change(node):
            node["spec"] = {**node.get("spec", {}), "unschedulable": closed}
            return node

        self.do(self.store.patch(Key(NODES, "", name), change))

    @rule(name=st.sampled_from(sorted(WORKERS)), down=st.booleans())
    def cut_off(self, name, down):
        async def change():
            worker = self.fleet.workers.get(name)
            if worker is not None and down and worker.acts:
                worker.cuts += 1
            elif worker is not None and not down and worker.cuts:
                worker.cuts = 0
                self.fleet.resume(worker, restarted=False)

        self.do(change())

    @rule(
        name=st.sampled_from(NAMES), replicas=st.integers(0, 6), gpus=st.sampled_from([1, 2, 4]),
        priority=st.sampled_from([0, 5]), gang=st.booleans(), preempts=st.booleans(),
    )  # fmt: skip
    def create_workload(self, name, replicas, gpus, priority, gang, preempts):
        spec = {"replicas": replicas, "gpus": {"count": gpus}, "priority": priority, "cpu": 1}
        spec |= {"gang": {}} if gang else {}
        spec |= {"preemption": "lower-priority"} if preempts else {}
        document = {"apiVersion": "bayplan.io/v1alpha1", "kind": "Workload", "spec": spec}
        if self.workload(name) is None:
            self.gangs[name] = [replicas] if gang else None
        self.do(self.store.create(WORKLOADS, {**document, "metadata": {"name": name, "namespace": "default"}}))

    @rule(name=st.sampled_from(NAMES), replicas=st.integers(0, 6))
    def scale(self, name, replicas):
        def change(workload):
            workload["spec"]["replicas"] = replicas
            return workload

        if self.gangs.get(name):
            self.gangs[name] = [*self.gangs[name], replicas]

        self.do(self.store.patch(Key(WORKLOADS, "default", name), change))

    @rule(name=st.sampled_from(NAMES))
    def delete_workload(self, name):
        self.do(self.store.delete(Key(WORKLOADS, "default", name)))

    @rule(number=st.integers(0, 9), gpus=st.integers(0, 2), limit=st.sampled_from([None, 60]))
    def create_pod(self, number, gpus, limit):
        limits = {"nvidia.com/gpu": str(gpus), "cpu": "1"}
        spec = {
            "schedulerName": "bayplan",
            "containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}],
            "restartPolicy": "Never",
        }
        spec |= {"activeDeadlineSeconds": limit} if limit else {}
        document = {"apiVersion": "v1", "kind": "Pod", "spec": spec, "status": {"phase": "Pending"}}
        self.do(self.store.create(PODS, {**document, "metadata": {"name": f"pod-{number}", "namespace": "default"}}))

    @rule(members=st.integers(1, 4), least=st.integers(1, 4))
    def create_group(self, members, least):
        group = {
            "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "spec": {"minMember": least},
            "metadata": {"name": "group", "namespace": "default"},
        }  # fmt: skip
        self.do(self.store.create(POD_GROUPS, group))
        for number in range(members):
            limits = {"nvidia.com/gpu": "1"}
            metadata = {
                "name": f"member-{number}", "namespace": "default",
                "labels": {"scheduling.x-k8s.io/pod-group": "group"},
            }  # fmt: skip
            spec = {
                "schedulerName": "bayplan",
                "containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}],
            }
            document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
            self.do(self.store.create(PODS, {**document, "status": {"phase": "Pending"}}))

    @rule(number=st.integers(0, 30), grace_s=st.sampled_from([0, None]))
    def delete_some_pod(self, number, grace_s):
        pods = self.pods()
        if pods:
            metadata = pods[number % len(pods)]["metadata"]
            deletion = Deletion(grace_s=grace_s)
            self.do(self.store.delete(Key(PODS, metadata["namespace"], metadata["name"]), deletion))

    @rule(seconds=st.sampled_from([1, 30, 120, 700]))
    def wait(self, seconds):
        self.do(asyncio.sleep(seconds))

    @rule(full=st.booleans())
    def fill_disk(self, full):
        """While it is full, no loop can write; users can, as if they were served by the last free bytes."""
        self.full = full

    @rule()
    def restart(self):
        self.full = False  # a start on a full disk is refused
        self.run(self.halt())
        self.boot()

    def workload(self, name):
        return self.store._shelf.read(Key(WORKLOADS, "default", name))

    def pods(self):
        return [each.document() for each in self.run(self.store.list(PODS)).items]

    def objects(self):
        kinds = [each for each in REGISTRY.kinds if each.kind in KINDS and each.stored]
        return [stored.document() for each in kinds for stored in self.run(self.store.list(each.collection)).items]

    @invariant()
    def nothing_is_oversold(self):
        if not hasattr(self, "system"):
            return
        found = check_invariants(self.objects())
        wrong = [each for each in found["invariants"] if each["id"] in CHECKED and each["ok"] is False]
        assert not wrong, [violation for each in wrong for violation in each["violations"]]

    @precondition(lambda self: hasattr(self, "system"))
    @rule()
    def the_ledger_is_the_sum_of_what_is_bound(self):
        """When all is quiet, the loop's own ledger holds just what a fresh reading of the objects gives."""
        self.faults_off()
        self.run(asyncio.sleep(2000))
        live = self.system.scheduling.live
        live.refresh()
        kept = sorted(
            str(entry.booking) for entry in live.state.ledger.entries if "(reserved)" not in entry.booking.workload
        )
        cluster = [each for each in self.objects() if each["kind"] in ("Node", "Pod")]
        fresh = read_inventory([Document(each, "store") for each in cluster]).cluster
        assert kept == sorted(map(str, fresh.bookings))
        assert set(live.state.workers.values()) == set(fresh.workers)
        self.nothing_waits_that_fits(cluster)

    def nothing_waits_that_fits(self, cluster):
        """Where no room is kept for others, a plan of what waits places nothing more."""
        if len(self.system.scheduling.reservations):
            return
        bound = [each for each in cluster if each["kind"] == "Node" or each["spec"].get("nodeName")]
        waiting = {each["metadata"]["labels"].get(WORKLOAD) for each in cluster if is_waiting(each)}
        for each in self.run(self.store.list(WORKLOADS)).items:
            document = each.document()
            if document["metadata"]["name"] in waiting:
                found = plan([document], bound)
                assert not found["placed"], f"{document['metadata']['name']}: {found['placed']} would fit"

    def faults_off(self):
        """From now on nothing fails, so that what waits for an answer gets one."""
        self.full = False
        if self.faults:
            self.faults = False
            self.restart()


def is_waiting(document):
    return document["kind"] == "Pod" and is_pending(document) and "labels" in document["metadata"]


SETTINGS = settings(
    max_examples=-(-EXAMPLES // PARTS), stateful_step_count=50, deadline=None, report_multiple_bugs=False,
    phases=[Phase.generate],
)  # fmt: skip


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_that_must_never_happen_happens(part):
    machine = type(f"System{part}", (System,), {})
    if SEED is not None:  # pytest's --hypothesis-seed would make all parts equal
        machine = seed(int(SEED) * PARTS + part)(machine)
    run_state_machine_as_test(machine, settings=SETTINGS)
