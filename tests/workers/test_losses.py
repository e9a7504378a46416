"""What is lost when a process is killed: never a replica without its worker, never a Pod."""

import signal
from pathlib import Path

from workers.machines import PODS, lives

FAMILY = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; while :; do sleep 1; done"


def family(machines, name):
    """The processes of a Pod: the replica, its child, and a child in a session of its own."""
    pid = machines.pid(name)
    machines.wait(lambda: machines.log(name).count("\n") == 2)
    return [pid, *map(int, machines.log(name).split())]


def test_replicas_of_a_killed_worker_end(machines):
    worker = machines.worker("w")
    machines.pod("p", "sh", "-c", FAMILY)
    machines.pod("deaf", "sh", "-c", f"trap '' TERM; {FAMILY}")
    processes = family(machines, "p") + family(machines, "deaf")
    assert all(map(lives, processes))

    worker.stop(signal.SIGKILL)

    machines.wait(lambda: not any(map(lives, processes)))
    assert machines.get("p")["status"]["phase"] == "Running"  # nobody has told the server otherwise


def test_a_worker_that_was_killed_starts_its_pods_again(machines):
    machines.worker("w").stop(signal.SIGKILL)
    worker = machines.worker("w")
    machines.pod("p", "sleep", "1000")
    machines.pod("done", "true", restartPolicy="Never")
    before = machines.pid("p")
    machines.wait_phase("done", "Succeeded")
    worker.stop(signal.SIGKILL)

    machines.worker("w")
    machines.wait(lambda: machines.container("p")["restartCount"] == 1)

    assert not lives(before)
    assert machines.pid("p") != before
    assert machines.container("p")["lastState"]["terminated"]["reason"] == "WorkerLost"
    assert machines.get("done")["status"]["phase"] == "Succeeded"


def test_the_deletion_of_a_pod_that_ended_is_finished_by_the_next_worker(machines):
    worker = machines.worker("w")
    machines.pod("p", "sleep", "1000", restartPolicy="Never")
    machines.pid("p")
    worker.stop(signal.SIGKILL)
    machines.ask("DELETE", f"{PODS}/p")
    ended = {"status": {"phase": "Succeeded"}}
    machines.ask("PATCH", f"{PODS}/p/status", ended, Content_Type="application/merge-patch+json")

    machines.worker("w")

    machines.wait(lambda: machines.server.request("GET", f"{PODS}/p")[0] == 404)


def test_a_worker_that_is_stopped_stops_its_replicas_and_starts_them_again(machines):
    worker = machines.worker("w")
    machines.pod("p", "sh", "-c", FAMILY)
    machines.pod("once", "sleep", "1000", restartPolicy="Never")
    processes = [*family(machines, "p"), machines.pid("once")]

    assert worker.stop(signal.SIGINT) == 0
    assert not any(map(lives, processes))
    assert machines.state("p")[1]["reason"] == "WorkerStopped"
    machines.wait_node("False")

    machines.worker("w")
    machines.wait_node("True")
    machines.wait_ready("p")
    machines.wait_ready("once")
    assert machines.container("p")["restartCount"] == 1


def test_replicas_outlive_the_server_and_are_known_to_the_next(machines):
    worker = machines.worker("w")
    machines.pod("p", "sh", "-c", "echo began; exec sleep 1000")
    machines.pod("ends", "sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; exit 4", restartPolicy="Never")
    pid, scratch = machines.pid("p"), machines.scratch("ends")
    machines.pid("ends")

    machines.kill_server()
    (scratch / "go").touch()  # it ends while nobody hears of it
    machines.start_server()

    machines.wait_phase("ends", "Failed")
    machines.wait(lambda: machines.log("p") == "began\n")
    assert machines.pid("p") == pid
    assert lives(pid)
    assert machines.container("p")["restartCount"] == 0
    assert worker.process.poll() is None
    machines.ask("DELETE", f"{PODS}/p")  # it is obeyed as before
    machines.wait(lambda: machines.get("p") is None)
    assert not lives(pid)


def test_a_worker_waits_for_a_server_that_is_not_there_yet(machines):
    machines.kill_server()
    worker = machines.worker("w", ready=False)
    machines.wait(lambda: "the worker waits for it" in worker.errors())

    machines.start_server()

    worker.wait_ready()


def test_a_supervisor_that_is_killed_takes_its_replica_along_and_it_is_started_again(machines):
    machines.worker("w")
    machines.pod("p", "sleep", "1000")
    pid = machines.pid("p")
    parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

    machines.kill(parent)
    machines.wait(lambda: machines.container("p")["restartCount"] == 1)

    assert not lives(pid)
    machines.wait_ready("p")


def test_pods_that_were_deleted_while_the_worker_was_away_end_with_its_next_start(machines):
    worker = machines.worker("w")
    machines.pod("p", "sleep", "1000")
    machines.pid("p")
    worker.stop(signal.SIGKILL)
    machines.ask("DELETE", f"{PODS}/p")
    assert "deletionTimestamp" in machines.get("p")["metadata"]

    machines.worker("w")

    machines.wait(lambda: machines.get("p") is None)
