"""Phases and conditions, from containers."""

from dataclasses import dataclass

import pytest

from bayplan.runtimes.processes.container_state import ContainerStatus, Running, Terminated, Waiting
from bayplan.runtimes.processes.pod_status import conditions_of, phase_of

RUNS, WAITS = Running(1.0, 5), Waiting()
GOOD, BAD = (Terminated(code, 0, "", 1.0, 2.0) for code in (0, 1))


@dataclass
class Container:
    """What a status needs to know of a runner."""

    status: ContainerStatus
    over: bool = False

    @property
    def name(self):
        return self.status.name


def container(state, *, over=False, ready=False, last=None):
    return Container(ContainerStatus("c", "i", state, last=last, ready=ready), over)


PHASES = {
    "not started": ([], [container(WAITS)], "Pending"),
    "running": ([], [container(RUNS)], "Running"),
    "one of two runs": ([], [container(RUNS), container(WAITS)], "Running"),
    "waits to be restarted": ([], [container(WAITS, last=BAD)], "Running"),
    "ended and will be restarted": ([], [container(BAD)], "Running"),
    "all ended well": ([], [container(GOOD, over=True), container(GOOD, over=True)], "Succeeded"),
    "one ended badly": ([], [container(GOOD, over=True), container(BAD, over=True)], "Failed"),
    "one is not over": ([], [container(GOOD, over=True), container(RUNS)], "Running"),
    "the first one failed": ([container(BAD, over=True)], [container(WAITS)], "Failed"),
    "the first one runs": ([container(RUNS)], [container(WAITS)], "Pending"),
}


@pytest.mark.parametrize(("first", "main", "phase"), PHASES.values(), ids=PHASES)
def test_phases(first, main, phase):
    assert phase_of(first, main) == phase


def ready_of(main, phase="Running", old=()):
    return next(each for each in conditions_of([], main, phase, old, 100.0) if each["type"] == "Ready")


def test_ready_names_the_containers_that_are_not():
    condition = ready_of([container(RUNS)])

    assert (condition["status"], condition["reason"]) == ("False", "ContainersNotReady")
    assert condition["message"] == "containers with unready status: [c]"


def test_a_condition_keeps_its_time_while_it_holds():
    old = [{"type": "Ready", "status": "True", "lastTransitionTime": "before"}]

    assert ready_of([container(RUNS, ready=True)], old=old)["lastTransitionTime"] == "before"
    assert ready_of([container(RUNS)], old=old)["lastTransitionTime"] == "1970-01-01T00:01:40Z"


@pytest.mark.parametrize(("phase", "reason"), [("Succeeded", "PodCompleted"), ("Failed", "PodFailed")])
def test_a_pod_that_has_ended_is_not_ready(phase, reason):
    assert ready_of([container(GOOD, over=True, ready=True)], phase)["reason"] == reason
