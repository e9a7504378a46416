"""Runs the replicas of simulated workers: they are created, load, serve, end, crash and are stopped."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import seconds_of
from bayplan.control.nodes.conditions import is_ready
from bayplan.sim.fleet.pace import back_off_s, drawn, job_s, load_s, varied
from bayplan.sim.fleet.pod_status import ENDED, with_status
from bayplan.sim.fleet.replica import Replica, Stage, ends_by_itself
from bayplan.sim.fleet.scenario import Do

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.store import Key, Object
    from bayplan.sim.fleet.agenda import Agenda
    from bayplan.sim.fleet.pace import Pace
    from bayplan.sim.fleet.worker import SimulatedWorker
    from bayplan.sim.fleet.writer import Writer

    Action = Callable[[Replica, Object], None]

_STATUS, _END, _EVICT = "status", "end", "evict"
_CRASH_CODE, _KILL_CODE = 1, 137
_DEADLINE = ("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")


class Kubelets:
    """One for all workers. Everything here happens at once in memory; the writer tells the store afterwards."""

    def __init__(
        self, cache: Cache, events: EventRecorder, clock: Clock, *,
        agenda: Agenda, writer: Writer, pace: Pace, seed: int, strikes: Callable[[Replica, Do], bool],
    ) -> None:  # fmt: skip
        self._cache, self._events, self._clock = cache, events, clock
        self._agenda, self._writer, self._pace, self._seed = agenda, writer, pace, seed
        self._strikes, self._addresses = strikes, 0
        self.started = 0

    def take(self, worker: SimulatedWorker, key: Key, pod: Object) -> None:
        """A Pod is bound to a worker, or has changed."""
        if not worker.acts:
            return  # it sees its Pods when it is back
        uid = pod["metadata"]["uid"]
        replica = worker.replicas.get(uid)
        if replica is None:
            if (pod.get("status") or {}).get("phase") in ENDED:
                if "deletionTimestamp" in pod["metadata"]:  # a fleet before this one did not come to finish it
                    self._writer.delete((uid, _END), key, uid)
                return
            replica = worker.replicas[uid] = self._new(worker, key, pod)
            self._begin(replica, pod)
        elif replica.stage is Stage.READY and not is_ready(pod):
            self._tell(replica)  # others wrote that it is not ready while its worker was not heard
        if "deletionTimestamp" in pod["metadata"]:
            self._stop(replica, pod)

    def drop(self, worker: SimulatedWorker, uid: str) -> None:
        """A Pod is gone from the store."""
        replica = worker.replicas.pop(uid, None)
        if replica is not None:
            replica.enter(Stage.GONE)

    def resume(self, worker: SimulatedWorker, *, restarted: bool) -> None:
        """The worker is heard again; where its machine was down, its containers start anew."""
        for replica in list(worker.replicas.values()):
            pod = self._pod(replica)
            if pod is None:
                self.drop(worker, replica.uid)
            elif restarted and replica.stage is Stage.CREATED:
                self._later(replica, self._pace.start_s, self._start)
            elif restarted and replica.stage is not Stage.OVER:
                self._crash(replica, pod, _KILL_CODE, at_once=True)
            else:
                self._tell(replica)

    def crash(self, replica: Replica) -> None:
        """The container of a replica ends with an error."""
        pod = self._pod(replica)
        if pod is not None and (replica.runs or replica.stage is Stage.CREATED):
            self._crash(replica, pod, _CRASH_CODE)

    def fail(self, replica: Replica, reason: str, message: str) -> None:
        """A replica ends for good; what made its Pod makes another one."""
        if replica.stage not in (Stage.OVER, Stage.GONE):
            self._finish(replica, _KILL_CODE, reason, message)

    def hang(self, replica: Replica, *, hangs: bool) -> None:
        """From now on the replica loads and never becomes ready, or no longer so."""
        replica.hangs = hangs
        if replica.runs and (pod := self._pod(replica)) is not None:
            self._load(replica, pod)
            self._tell(replica)

    def evict(self, replica: Replica, grace_s: int) -> None:
        """Ask for the deletion of a Pod, as who drains a machine does."""
        self._writer.delete((replica.uid, _EVICT), replica.key, replica.uid, grace_s)

    def _pod(self, replica: Replica) -> Object | None:
        """Its Pod as it is known; None where that is gone."""
        pod = self._cache.get(replica.key)
        return pod if pod is not None and pod["metadata"]["uid"] == replica.uid else None

    def _new(self, worker: SimulatedWorker, key: Key, pod: Object) -> Replica:
        status = pod.get("status") or {}
        address = str(status.get("podIP") or self._next_address())
        began_s = seconds_of(status.get("startTime")) or self._clock()
        return Replica(key, pod["metadata"]["uid"], worker, address, created_s=began_s)

    def _next_address(self) -> str:
        self._addresses += 1
        number = self._addresses
        return f"10.{128 + (number >> 16) % 127}.{(number >> 8) % 256}.{number % 256}"

    def _begin(self, replica: Replica, pod: Object) -> None:
        """Start a new replica; one that ran before this process was started goes on."""
        self.started += 1
        deadline = pod["spec"].get("activeDeadlineSeconds")
        if deadline is not None:
            self._agenda.at(replica.created_s + deadline, partial(self._expire, replica))
        status = pod.get("status") or {}
        if status.get("phase") != "Running":
            replica.enter(Stage.CREATED)
            self._later(replica, self._pace.start_s, self._start)
            return
        container: dict[str, Any] = next(iter(status.get("containerStatuses") or ()), {})
        replica.restarts = int(container.get("restartCount") or 0)
        running = (container.get("state") or {}).get("running") or {}
        replica.began_s = seconds_of(running.get("startedAt")) or self._clock()
        if is_ready(pod):
            self._serve(replica, pod)
        else:
            self._load(replica, pod)

    def _start(self, replica: Replica, pod: Object) -> None:
        """Its container runs; without a model to load it is ready at once."""
        replica.began_s = self._clock()
        replica.hangs = replica.hangs or self._strikes(replica, Do.HANG)
        if replica.hangs or load_s(pod, self._pace) > 0:
            self._load(replica, pod)
        else:
            self._serve(replica, pod)
        self._tell(replica)

    def _load(self, replica: Replica, pod: Object) -> None:
        replica.enter(Stage.LOADING)
        if not replica.hangs:
            self._later(replica, load_s(pod, self._pace), self._loaded)

    def _loaded(self, replica: Replica, pod: Object) -> None:
        self._serve(replica, pod)
        self._tell(replica)

    def _serve(self, replica: Replica, pod: Object) -> None:
        if self._strikes(replica, Do.CRASH):
            self._crash(replica, pod, _CRASH_CODE)
            return
        replica.enter(Stage.READY)
        if ends_by_itself(pod):
            left_s = job_s(pod, self._pace) - (self._clock() - replica.began_s)
            self._later(replica, max(0.0, left_s), self._done)

    def _done(self, replica: Replica, pod: Object) -> None:
        del pod
        self._finish(replica, 0, "", "")

    def _expire(self, replica: Replica) -> None:
        if replica.worker.lives:
            self.fail(replica, *_DEADLINE)

    def _finish(self, replica: Replica, code: int, reason: str, message: str) -> None:
        replica.enter(Stage.OVER)
        replica.exit_code, replica.reason, replica.message = code, reason, message
        replica.ended_s = self._clock()
        self._tell(replica)

    def _crash(self, replica: Replica, pod: Object, code: int, *, at_once: bool = False) -> None:
        """Its container ended with an error, and is started again if the Pod's policy says so."""
        if pod["spec"].get("restartPolicy", "Always") == "Never":
            self._finish(replica, code, "", "")
            return
        replica.exit_code, replica.ended_s = code, self._clock()
        pause_s = self._pace.start_s if at_once else back_off_s(replica.restarts)
        replica.restarts += 1
        replica.message = f"back-off {pause_s:.0f}s restarting failed container"
        turn = replica.enter(Stage.BACK_OFF)
        self._agenda.after(pause_s, partial(self._act, replica, turn, self._start))
        self._tell(replica)
        if not at_once:
            self._events.tell(pod, "Warning", "BackOff", f"Back-off restarting failed container, exit code {code}")

    def _stop(self, replica: Replica, pod: Object) -> None:
        """End a replica that is being deleted, within its grace, and finish the deletion."""
        if replica.stopping:
            return
        replica.stopping = True
        grace_s = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
        takes_s = min(grace_s, self._pace.stop_s * replica.worker.slowness) if replica.runs else 0.0
        self._agenda.after(takes_s, partial(self._end, replica))

    def _end(self, replica: Replica) -> None:
        if replica.worker.acts and replica.stage is not Stage.GONE:
            self._writer.delete((replica.uid, _END), replica.key, replica.uid)
        else:
            replica.stopping = False  # a worker that comes back tries again

    def _later(self, replica: Replica, seconds: float, action: Action) -> None:
        """Do the next thing after a time, which the worker's slowness and the seed vary."""
        key = replica.key
        chance = drawn(self._seed, key.namespace, key.name, replica.stage.value, str(replica.restarts))
        takes_s = varied(seconds * replica.worker.slowness, self._pace.jitter, chance)
        self._agenda.after(takes_s, partial(self._act, replica, replica.turn, action))

    def _act(self, replica: Replica, turn: int, action: Action) -> None:
        if replica.turn == turn and replica.worker.lives and (pod := self._pod(replica)) is not None:
            action(replica, pod)

    def _tell(self, replica: Replica) -> None:
        """Have the status of its Pod written; a worker that is not heard tells it when it is back."""
        if replica.worker.acts:
            self._writer.patch((replica.uid, _STATUS), replica.key, partial(self._told, replica), "status")

    def _told(self, replica: Replica, live: Object) -> Object:
        return with_status(live, replica, self._clock())
