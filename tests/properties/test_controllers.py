"""Controllers that make Pods, with events that come late or not at all, Pods that fail, and restarts at any moment."""

import asyncio
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from bayplan.control.collections import DEPLOYMENTS, JOBS, PODS, REPLICA_SETS, STATEFUL_SETS, WORKLOADS
from bayplan.control.store_errors import ExpiredError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.controllers.lab import VirtualLoop, clock, is_alive, is_leaving, lab, named, of_template, workload

MOST = 5
LONG_S = 1_000.0  # longer than every pause of the controllers
RESTS = 30  # turns of the event loop after which nearly everything is done
PAUSES = st.sampled_from([0, 1, 3, RESTS, RESTS, RESTS])


class LateStore:
    """A store whose watches can be held back, each by itself, and made to forget."""

    def __init__(self, inner):
        self._inner = inner
        self._open = defaultdict(asyncio.Event)
        self.losses = 0

    def hold(self, collection):
        self._open[collection].clear()

    def let_through(self, collection):
        self._open[collection].set()

    def __getattr__(self, name):
        return getattr(self._inner, name)

    async def watch_many(self, collection, *where, **how):
        self.let_through(collection)
        async for changes in self._inner.watch_many(collection, *where, **how):
            await self._open[collection].wait()
            if self.losses:
                self.losses -= 1
                raise ExpiredError("forgotten", place="watch")
            yield changes


class Machine(RuleBasedStateMachine):
    """One owner; what it is and asks for is said by the subclasses."""

    collection = WORKLOADS
    surge = 0

    @staticmethod
    def owner(replicas, image):
        return workload("own", replicas=replicas, backend={"name": "custom", "image": image})

    @initialize(replicas=st.integers(0, MOST))
    def begin(self, replicas):
        self.loop = VirtualLoop()
        asyncio.set_event_loop(self.loop)
        self.wanted, self.image, self.exists = replicas, "app:1", True
        self.most = replicas
        self._do(self._begin())

    def _do(self, work):
        return self.loop.run_until_complete(work)

    def _then(self, pause, work):
        """Act, then let the controllers go on for a number of turns, or until they rest."""

        async def acted():
            await work
            for _ in range(pause):
                await asyncio.sleep(0)
            if pause == RESTS:
                await asyncio.sleep(0.01)

        self._do(acted())

    async def _begin(self):
        self.inner = EmbeddedStore(MemoryShelf(history=60), clock=clock)
        await self.inner.start()
        self.store = LateStore(self.inner)
        await self._start()
        await self.it.apply(self.owner(self.wanted, self.image))

    async def _start(self):
        self.context = lab(store=self.store)
        self.it = await self.context.__aenter__()

    async def _stop(self):
        await self.context.__aexit__(None, None, None)

    @rule(replicas=st.integers(0, MOST), pause=PAUSES)
    def scale(self, replicas, pause):
        """Also creates an owner that was deleted."""
        self.exists, self.wanted = True, replicas
        self.most = max(self.most, replicas)
        self._then(pause, self.it.apply(self.owner(self.wanted, self.image)))

    @rule(number=st.integers(1, 3), pause=PAUSES)
    def change(self, number, pause):
        if self.exists:
            self.image = f"app:{number}"
            self._then(pause, self.it.apply(self.owner(self.wanted, self.image)))

    @rule(pause=PAUSES)
    def delete_owner(self, pause):
        if self.exists:
            self.exists = False
            self._then(pause, self.it.delete(self.collection, "own"))

    @rule(which=st.integers(0, MOST), pause=PAUSES)
    def run_pod(self, which, pause):
        async def runs(pod):
            if not pod["spec"].get("nodeName"):
                await self.it.bind(pod)
            await self.it.become(pod)

        self._with(which, pause, runs)

    @rule(which=st.integers(0, MOST), pause=PAUSES)
    def fail_pod(self, which, pause):
        self._with(which, pause, lambda pod: self.it.become(pod, phase="Failed", ready=False))

    @rule(which=st.integers(0, MOST), grace=st.sampled_from([0, 30]), pause=PAUSES)
    def delete_pod(self, which, grace, pause):
        self._with(which, pause, lambda pod: self.it.delete(PODS, named(pod), grace_s=grace))

    def _with(self, which, pause, act):
        async def acted():
            pods = await self.it.pods()
            if pods:
                await act(pods[which % len(pods)])

        self._then(pause, acted())

    @rule()
    def finish_leaving(self):
        self._do(self._finish_leaving())

    async def _finish_leaving(self):
        for pod in await self.it.list(PODS):
            if is_leaving(pod):
                await self.it.delete(PODS, named(pod), grace_s=0)

    @rule(seconds=st.sampled_from([1, 6, 30]))
    def wait(self, seconds):
        self._do(asyncio.sleep(seconds))

    @rule(what=st.sampled_from(["pods", "pods", "owner"]))
    def hold_events_back(self, what):
        self.store.hold(PODS if what == "pods" else self.collection)

    @rule()
    def let_events_through(self):
        self._let_through()

    def _let_through(self):
        for each in (PODS, self.collection):
            self.store.let_through(each)

    @rule(losses=st.integers(1, 3))
    def lose_events(self, losses):
        self.store.losses = losses

    @rule(pause=PAUSES)
    def restart(self, pause):
        async def restarted():
            await self._stop()
            await self._start()

        self._then(pause, restarted())

    @invariant()
    def there_are_never_too_many(self):
        """More than was ever wanted since the last rest, and what a rollout may add, is made by nobody."""
        if hasattr(self, "it"):
            assert len(self._do(self.it.pods())) <= self.most + self.surge

    def teardown(self):
        if not hasattr(self, "it"):
            return
        try:
            self._do(self._at_rest())
        finally:
            self._do(self._stop())
            self._do(self.inner.close())
            self.loop.close()
            asyncio.set_event_loop(None)

    async def _at_rest(self):
        self._let_through()
        for _ in range(4 * MOST + 4):
            await asyncio.sleep(LONG_S)
            await self._finish_leaving()
            await self._run_all()
        await asyncio.sleep(LONG_S)
        pods = await self.it.list(PODS)
        await self.check(pods, await self.it.get(self.collection, "own"))

    async def _run_all(self):
        await self.it.run_all()

    async def check(self, pods, owner):
        alive = [pod for pod in pods if is_alive(pod)]
        assert len(alive) == (self.wanted if self.exists else 0)
        owners = {await self.root(pod) for pod in pods}
        assert owners <= ({owner["metadata"]["uid"]} if owner else set())
        assert all(self.image_of(pod) == self.image for pod in alive)
        if owner is not None:
            assert owner["status"]["replicas"] == owner["status"]["readyReplicas"] == self.wanted

    async def root(self, pod):
        return pod["metadata"]["ownerReferences"][0]["uid"]

    @staticmethod
    def image_of(pod):
        return pod["spec"]["containers"][0]["image"]


class Workloads(Machine):
    pass


class ReplicaSets(Machine):
    collection = REPLICA_SETS

    @staticmethod
    def owner(replicas, image):
        return of_template("ReplicaSet", "own", image, replicas=replicas)

    async def check(self, pods, owner):
        self.image = None  # a ReplicaSet does not replace Pods of an older template
        self.image_of = lambda pod: None
        await super().check(pods, owner)


class Deployments(Machine):
    collection = DEPLOYMENTS
    surge = 2

    @staticmethod
    def owner(replicas, image):
        return of_template("Deployment", "own", image, replicas=replicas, strategy={"rollingUpdate": {"maxSurge": 2}})

    async def root(self, pod):
        name = pod["metadata"]["ownerReferences"][0]["name"]
        above = await self.it.get(REPLICA_SETS, name)
        return above["metadata"]["ownerReferences"][0]["uid"]


class StatefulSets(Machine):
    collection = STATEFUL_SETS

    @staticmethod
    def owner(replicas, image):
        return of_template("StatefulSet", "own", image, replicas=replicas)

    async def check(self, pods, owner):
        await super().check(pods, owner)
        assert [named(pod) for pod in pods] == [f"own-{number}" for number in range(len(pods))]


class Jobs(Machine):
    collection = JOBS

    @staticmethod
    def owner(replicas, image):
        spec = {"parallelism": replicas, "completions": MOST, "backoffLimit": 1_000}
        return of_template("Job", "own", "app:1", api="batch/v1", **spec)

    async def _run_all(self):
        """A quarter of the work is done each time."""
        for pod in (await self.it.pods())[:2]:
            await self.it.become(pod, phase="Succeeded", ready=False)

    async def check(self, pods, owner):
        done = [pod for pod in pods if pod["status"]["phase"] == "Succeeded"]
        assert not any(map(is_alive, pods))
        assert {await self.root(pod) for pod in pods} <= ({owner["metadata"]["uid"]} if owner else set())
        if owner is not None and self.wanted:
            assert len(done) == owner["status"]["succeeded"] == MOST


SETTINGS = settings(
    max_examples=50, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("machine", [Workloads, ReplicaSets, Deployments, StatefulSets, Jobs])
def test_controllers_converge(machine):
    run_state_machine_as_test(machine, settings=SETTINGS)
