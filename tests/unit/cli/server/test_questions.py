"""plan, why, gpus and queue without --cluster: the server is asked."""

import json
import time

from unit.cli.serving import WORKER, pod

WORKLOAD = "kind: Workload\nmetadata: {name: big}\nspec: {gpus: {count: COUNT}}\n"


def workload(count):
    return WORKLOAD.replace("COUNT", str(count))


def test_plans_of_a_server_have_the_exit_codes_of_plans_of_files(command):
    command.applied(WORKER)

    fits = command("plan", "-f", command.file(workload(2)), "-o", "json")
    assert (fits.status, fits.json["verdict"]) == (0, "fits")
    assert fits.json["replicas"][0]["workers"][0]["worker"] == "w1"
    assert command("plan", "-f", command.file(workload(5))).status == 2
    shown = command("plan", "-f", command.file(workload(5))).out
    assert "bayplan why -f" in shown
    assert "--cluster" not in shown


def test_a_plan_of_a_server_is_written_to_no_file(command):
    said = command("plan", "-f", command.file(workload(1)), "--commit-to", "x.yaml")

    assert said.status == 1
    assert "--commit-to: a server's cluster is not written to a file" in said.err


def test_why_about_files_and_about_objects(command):
    command.applied(WORKER, pod("small"), pod("huge").replace("gpu: 1", "gpu: 9"))

    of_file = command("why", "-f", command.file(workload(5)), "-o", "json").json
    assert of_file["workers"][0]["rejections"][0]["code"] == "gpu-count-short"
    of_object = command("why", "pod/huge", "--worker", "w1", "-o", "json").json
    assert of_object["verdict"] == "infeasible"
    assert command("why", "pod", "small", "-o", "json").json["verdict"] == "fits"
    assert "not found" in command("why", "pod/nope").err
    assert "leave -f and --cluster out" in command("why", "pod/small", "-f", "x.yaml").err


def test_gpus_and_the_queue(command):
    """Both ask for more cards than there are, so they wait; the loop takes a moment to have seen them."""
    command.applied(WORKER, *(pod(name).replace("gpu: 1", "gpu: 9") for name in ("first", "second")))

    assert command("gpus", "-o", "json").json["total"]["cards"] == 4
    until = time.monotonic() + 20
    while len(queue := command("queue", "-o", "json").json["items"]) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert [each["workload"] for each in queue] == ["first", "second"]
    assert command("queue").out.splitlines()[1].split()[:3] == ["1", "default", "pods/first"]


def test_pods_that_wait_cause_no_warning(command):
    command.applied(WORKER, pod())

    assert command("gpus").err == ""


def test_without_a_server_the_error_says_how_to_start_one(alone):
    for words in (("plan", "-f", alone.file(workload(1))), ("why", "pod/x"), ("gpus",), ("queue",)):
        said = alone(*words)
        assert said.status == 1
        assert "start one: bayplan up" in said.err


def test_errors_of_workloads_have_their_place(command):
    command.applied(WORKER)
    said = command("plan", "-f", command.file(workload("many")), "-o", "json")

    error = json.loads(said.err)["error"]
    assert "gpus.count" in error["place"]
