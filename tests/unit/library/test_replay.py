import copy
import json
import random
from contextlib import suppress

import pytest

from bayplan.framework.errors import BayplanError, InputError
from bayplan.library.replay import replay
from unit.control.scheduling.scheduler import VirtualLoop, pod, run_virtually, running, worker, workload

CONFIG = {
    "apiVersion": "bayplan.io/v1alpha1",
    "kind": "SchedulerConfig",
    "metadata": {"name": "placement"},
    "scheduler": "placement",
    "plugins": [{"type": "spread"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "pack", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]}],
}


async def decisions():
    async with running(worker("a", 4), worker("b", 4)) as system:
        await system.create(pod("old", 4, priority=1))
        await system.workload(workload("chat", 2, gpus=2))
        await system.create(pod("waits", 3))
        await system.workload(workload("urgent", 1, gpus=4, priority=9, preemption="lower-priority"))
        found = [system.records.exported(each["id"]) for each in system.records.newest()]
        return {each["object"]["name"]: json.loads(json.dumps(each)) for each in found}


@pytest.fixture(scope="module")
def recorded():
    """Records of a placement, a refusal and a preemption by the name of their object; not to be changed."""
    return run_virtually(decisions(), VirtualLoop())


@pytest.fixture
def records(recorded):
    return copy.deepcopy(recorded)


def test_every_decision_comes_out_the_same(records):
    found = {name: replay(each) for name, each in records.items()}

    assert {name: each["differences"] for name, each in found.items()} == {name: [] for name in records}
    assert all(each["same"] for each in found.values())
    assert found["chat"]["plan"]["verdict"] == "fits"
    assert found["waits"]["plan"]["verdict"] == "waiting"
    assert found["urgent"]["plan"]["victims"]


def cordon_everything(record):
    for each in record["inputs"]["cluster"]["workers"]:
        each["status"] = "cordoned"


def forget_bookings(record):
    record["inputs"]["cluster"]["bookings"] = []


def never_preempt(record):
    record["inputs"]["preempting"] = False


def another_configuration(record):
    record["inputs"]["config"] = CONFIG


def another_answer(record):
    record["plan"]["replicas"][0]["workers"][0]["worker"] = "c"


def a_replica_more(record):
    record["plan"]["replicas"].append(record["plan"]["replicas"][0])


CHANGED = {
    "a cluster that was closed": ("chat", cordon_everything, "plan.verdict"),
    "bookings that were removed": ("waits", forget_bookings, "plan.verdict"),
    "a preemption that may not be": ("urgent", never_preempt, "plan.verdict"),
    "another configuration": ("chat", another_configuration, "plan.replicas[0].score"),
    "an answer that was changed": ("chat", another_answer, "plan.replicas[0].workers[0].worker"),
    "an answer with more": ("chat", a_replica_more, "plan.replicas"),
}


@pytest.mark.parametrize(("name", "change", "place"), CHANGED.values(), ids=CHANGED)
def test_a_record_that_was_changed_is_noticed(records, name, change, place):
    change(records[name])

    found = replay(records[name])

    assert not found["same"]
    assert place in [each["place"] for each in found["differences"]]


def test_the_revision_of_the_process_does_not_matter(records):
    records["chat"]["plan"]["revision"] = 10**9

    assert replay(records["chat"])["same"]


def without(key):
    def change(record):
        del record[key]

    return change


def no_inputs(record):
    del record["inputs"]


def no_workload(record):
    record["inputs"]["workload"] = {"$": "Gang"}


def no_cluster(record):
    record["inputs"]["cluster"] = {"workers": 5}


def spoilt_outlook(record):
    record["inputs"]["outlook"] = {"cluster": {"workers": []}, "mix": {"seen": 1, "counts": []}}


WRONG = {
    "another kind": (lambda record: record.update(kind="Plan"), "this is no record of a decision"),
    "no plan": (without("plan"), "this is no record of a decision"),
    "no inputs": (no_inputs, "it holds no inputs, because the cluster of that moment is no longer known"),
    "no seed": (without("seed"), "somebody changed it"),
    "no time": (without("now"), "somebody changed it"),
    "no workload": (no_workload, "record"),
    "no cluster": (no_cluster, "workers"),
    "half an outlook": (spoilt_outlook, "somebody changed it"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_record_is_refused_with_a_next_step(records, change, message):
    change(records["chat"])

    with pytest.raises(InputError) as raised:
        replay(records["chat"])

    assert message in str(raised.value)
    assert raised.value.next


def _paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from _paths(each, (*path, key))


@pytest.mark.parametrize("seed", range(60))
def test_whatever_a_record_holds_it_is_an_answer_or_a_clear_error(recorded, seed):
    chance = random.Random(seed)  # noqa: S311
    record = copy.deepcopy(recorded["urgent"])
    *above, last = chance.choice([each for each in _paths(record) if each and each[0] in ("inputs", "seed", "now")])
    holder = record
    for step in above:
        holder = holder[step]
    holder[last] = chance.choice([None, -1, 1.5, "x", [], {}, [1], True, 10**30, {"$": "Fraction", "value": "1/0"}])

    with suppress(BayplanError):
        assert replay(record)["kind"] == "Replay"
