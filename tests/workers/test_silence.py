"""Workers that are not heard: their Nodes, their Pods, and what happens when they come back."""

import signal

import pytest

from workers.machines import Machines, lives


@pytest.fixture
def impatient(tmp_path):
    """A server that gives workers three seconds, and their Pods three more."""
    started = Machines(tmp_path, silence="3s", eviction="3s", sweep="1s")
    yield started
    started.close()


def test_a_worker_that_pauses_is_ready_again_with_the_same_replicas(impatient):
    forever = [{"operator": "Exists"}]
    worker = impatient.worker("w")
    impatient.pod("p", "sleep", "1000", tolerations=forever)
    impatient.wait_ready("p")
    pid = impatient.pid("p")

    worker.process.send_signal(signal.SIGSTOP)
    impatient.wait_node("Unknown")
    impatient.wait_ready("p", ready=False)
    worker.process.send_signal(signal.SIGCONT)

    impatient.wait_node("True")
    impatient.wait_ready("p")
    assert impatient.pid("p") == pid
    assert impatient.container("p")["restartCount"] == 0


def test_pods_that_were_evicted_meanwhile_end_when_their_worker_is_back(impatient):
    impatient.worker("v")
    worker = impatient.worker("w")
    impatient.pod("p", "sleep", "1000", terminationGracePeriodSeconds=1)
    pid = impatient.pid("p")

    worker.process.send_signal(signal.SIGSTOP)
    impatient.wait(lambda: impatient.get("p") is None)
    assert lives(pid)  # nobody could reach it
    worker.process.send_signal(signal.SIGCONT)

    impatient.wait(lambda: not lives(pid))
    impatient.wait_node("True")


def test_a_name_is_free_again_after_a_silence(impatient):
    first = impatient.worker("w")
    first.stop(signal.SIGKILL)
    elsewhere = ("--work-dir", str(impatient.folder / "elsewhere"))
    impatient.wait_node("Unknown")

    impatient.worker("w", *elsewhere)

    impatient.wait_node("True")
