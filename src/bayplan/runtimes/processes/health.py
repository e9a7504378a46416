"""Whether a running container has started, is ready and still lives, by its probes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from bayplan.runtimes.processes.probes import Probe, probe_of

if TYPE_CHECKING:
    from bayplan.control.store import Object
    from bayplan.runtimes.processes.launch import Launch
    from bayplan.runtimes.processes.probes import Prober

_STARTS_S, _LIVES_S, _TIMEOUT_S, _PATIENCE = 1.0, 10.0, 5.0, 6
"""Of an engine without probes of its own: asked each second until it is ready; six failures in a row end it later."""


class Patient(Protocol):
    """What is told about a container's health."""

    def is_started(self) -> None: ...
    def is_ready(self, problem: str) -> None: ...
    def is_dead(self, problem: str) -> None: ...


class Health:
    """The probes of one run of a container."""

    def __init__(self, container: Object, launch: Launch, address: str, prober: Prober) -> None:
        self._launch, self._prober = launch, prober
        self._startup = probe_of(container.get("startupProbe"), container, launch, address)
        self._readiness = probe_of(container.get("readinessProbe"), container, launch, address)
        self._liveness = probe_of(container.get("livenessProbe"), container, launch, address)
        own = (self._startup, self._readiness, self._liveness)
        if launch.health_path and launch.port and not any(own):
            url = f"http://{address}:{launch.port}{launch.health_path}"
            self._readiness = Probe(url, period_s=_STARTS_S, timeout_s=_TIMEOUT_S)
            self._liveness = Probe(url, period_s=_LIVES_S, timeout_s=_TIMEOUT_S, failures=_PATIENCE)
            self._waits_for_ready = True
        else:
            self._waits_for_ready = False

    async def watch(self, patient: Patient) -> None:
        """Until it is cancelled, which the end of the container does, or until the container must die."""
        if self._startup is not None and not await self._begun(self._startup, patient):
            return
        patient.is_started()
        if self._readiness is None:
            patient.is_ready("")
        first_ready = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            if self._readiness is not None:
                group.create_task(self._ready(self._readiness, patient, first_ready))
            if self._liveness is not None:
                group.create_task(self._live(self._liveness, patient, first_ready))

    async def _begun(self, probe: Probe, patient: Patient) -> bool:
        await asyncio.sleep(probe.delay_s)
        for _ in range(probe.failures):
            problem = await self._prober.problem(probe, self._launch)
            if not problem:
                return True
            await asyncio.sleep(probe.period_s)
        patient.is_dead(f"it did not start: {problem}")
        return False

    async def _ready(self, probe: Probe, patient: Patient, first_ready: asyncio.Event) -> None:
        """Tell each change; as many answers in a row as the probe says make one."""
        await asyncio.sleep(probe.delay_s)
        ready, row = False, 0
        while True:
            problem = await self._prober.problem(probe, self._launch)
            row = row + 1 if bool(problem) is ready else 0
            if row >= (probe.failures if ready else probe.successes):
                ready, row = not ready, 0
                patient.is_ready(problem)
            if ready:
                first_ready.set()
            settled = self._waits_for_ready and ready
            await asyncio.sleep(_LIVES_S if settled else probe.period_s)

    async def _live(self, probe: Probe, patient: Patient, first_ready: asyncio.Event) -> None:
        """An engine that loads a model for long is not dead: where it is known how, loading is waited for."""
        if self._waits_for_ready:
            await first_ready.wait()
        await asyncio.sleep(probe.delay_s)
        row = 0
        while row < probe.failures:
            await asyncio.sleep(probe.period_s)
            problem = await self._prober.problem(probe, self._launch)
            row = row + 1 if problem else 0
        patient.is_dead(problem)
