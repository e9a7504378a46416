import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from bayplan.control.nodes.settings import NodeSettings
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.reader import Document
from bayplan.sim.fleet.pace import Pace
from bayplan.sim.fleet.scenario import OF_PODS, Do, Event, Fault, Rate, Usage
from bayplan.sim.fleet.scenario_file import read_scenario_file

HEAD = "apiVersion: bayplan.io/v1alpha1\nkind: Scenario\n"


def _read(tmp_path, text, head=HEAD):
    file = tmp_path / "scenario.yaml"
    file.write_text(head + text)
    return read_scenario_file(file)


def test_everything_is_read(tmp_path):
    scenario, warnings = _read(
        tmp_path,
        """
metadata: {name: storm}
seed: 7
workers:
  - {name: a100, count: 2, labels: {team: x}, gpus: {count: 8, model: A100-SXM4-80GB, memory: 80Gi}}
pace: {start: 2s, gibPerSecond: 1.5, jitter: 0, job: 5m, stop: 3s, mig: 9s, longestLoad: 2m, heartbeat: 5s}
usage: {gpuPercent: 50, swingPercent: 10, period: 2m}
events:
  - {at: 30s, do: fail, worker: a100-1, for: 5m}
  - {at: 1m, every: 10m, do: crash, pod: demo/chat-*}
  - {at: 2m, do: reclaim, worker: a100-0, notice: 1m}
rates:
  - {do: flap, worker: a100-*, perHour: 0.5, for: 10m, period: 20s}
""",
    )

    assert warnings == []
    assert (scenario.name, scenario.seed, scenario.pace.job_s, scenario.usage.period_s) == ("storm", 7, 300.0, 120.0)
    assert scenario.events == (
        Event(30.0, Fault(Do.FAIL, "a100-1", 300.0)),
        Event(60.0, Fault(Do.CRASH, "demo/chat-*"), 600.0),
        Event(120.0, Fault(Do.RECLAIM, "a100-0", notice_s=60.0)),
    )
    assert scenario.rates == (Rate(0.5, Fault(Do.FLAP, "a100-*", 600.0, period_s=20.0)),)
    (worker,) = scenario.cluster["workers"]
    assert scenario.cluster["metadata"] == {"name": "storm"}
    assert worker["labels"] == {"team": "x", "bayplan.io/runtime": "simulated"}


WRONG = {
    "no such fault":          ("events: [{at: 1s, do: fali, worker: a}]", ":3: events[0].do: ", "did you mean 'fail'?"),
    "no time":                ("events: [{do: fail, worker: a}]", "events[0].at: ", ""),
    "a negative time":        ("events: [{at: -1s, do: fail, worker: a}]", "events[0].at: ", ""),
    "a worker that crashes":  ("events: [{at: 1s, do: crash, worker: a}]", "crash happens to a pod", "write pod: NAME"),
    "a pod that is cut":      ("events: [{at: 1s, do: cut, pod: a}]", "cut happens to a worker", "write worker: NAME"),
    "a rate without an end":  ("rates: [{do: fail, worker: a, perHour: 1}]", "must end again", "for: 5m"),
    "endless flapping":       ("events: [{at: 1s, do: flap, worker: a}]", "not said how long", "for: 10m"),
    "a worker without a name": ("workers: [{gpus: 2}]", "workers[0].", ""),
    "no speed":               ("pace: {gibPerSecond: 0}", "pace.gibPerSecond", "more than 0"),
    "heartbeats too often":   ("pace: {heartbeat: 10ms}", "pace.heartbeat", "1s or more"),
    "too often":              ("events: [{at: 1s, every: 1ms, do: fail, worker: a}]", "events[0].every", "1s or more"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "place", "following"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_place_and_a_next_step(tmp_path, text, place, following):
    with pytest.raises(InputError) as caught:
        _read(tmp_path, text)

    assert place in str(caught.value)
    assert following in str(caught.value)


def test_another_kind_is_refused(tmp_path):
    with pytest.raises(InputError, match="'Cluster' is not Scenario"):
        _read(tmp_path, "", head="apiVersion: bayplan.io/v1alpha1\nkind: Cluster\n")


def test_two_documents_are_refused(tmp_path):
    with pytest.raises(InputError, match="it holds 2 documents"):
        _read(tmp_path, f"---\n{HEAD}")


def test_fields_without_effect_are_warned_of(tmp_path):
    _, warnings = _read(tmp_path, "sede: 3\nevents: [{at: 1s, do: fail, worker: a, factor: 3}]")

    assert any("sede" in each for each in warnings)
    assert any("factor" in each for each in warnings)


def test_the_scenario_of_the_page_is_read_without_a_warning_and_every_fault_is_described(tmp_path):
    page = (Path(__file__).parents[4] / "docs" / "simulation.md").read_text()
    text = re.search(r"```yaml title=scenario.yaml\n(.*?)```", page, re.DOTALL)[1]
    scenario, warnings = _read(tmp_path, text, head="")

    assert warnings == []
    assert (scenario.pace, scenario.nodes, scenario.usage) == (Pace(), NodeSettings(), Usage())
    assert set(re.findall(r"^\| `([a-z-]+)` \| `(?:worker|pod)`", page, re.MULTILINE)) == {each.value for each in Do}


EXAMPLES = sorted((Path(__file__).parents[4] / "examples" / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=[each.name for each in EXAMPLES])
def test_an_example_is_read_without_a_warning_and_names_workers_that_it_has(file):
    scenario, warnings = read_scenario_file(file)

    assert warnings == []
    workers = [each.name for each in read_inventory([Document(scenario.cluster, file.name)]).cluster.workers]
    for fault in (each.fault for each in (*scenario.events, *scenario.rates)):
        assert fault.do in OF_PODS or any(fnmatchcase(name, fault.target) for name in workers)
