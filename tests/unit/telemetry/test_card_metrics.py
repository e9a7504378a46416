"""The use of each card."""

from collections import UserDict
from dataclasses import replace

import pytest

from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import WorkerStatus
from bayplan.telemetry.card_metrics import CardUtilization, show_cards
from bayplan.telemetry.metrics import catalogue
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from fleets import a100, worker
from metrics_text import samples

NAME = "neuronetes_gpu_utilization_percent"


def measured(name="a", *percents, **others):
    gpus = tuple(GpuUtilization(index, gpu_percent=percent) for index, percent in enumerate(percents))
    return worker(name, len(percents), utilization=Utilization(gpus=gpus), **others)


def told(*workers, **measured):
    metrics = Metrics()
    show_cards(metrics, lambda: workers, lambda: measured)
    found = samples(metrics.text(Style.PROMETHEUS))
    return {tuple(value for _, value in labels): number for (name, labels), number in found.items() if name == NAME}


def test_a_series_for_each_card():
    assert told(measured("a", 12.5, 0.0), measured("b", 100.0)) == {
        ("cuda:0", "A100-SXM4-40GB", "a"): 12.5,
        ("cuda:1", "A100-SXM4-40GB", "a"): 0,
        ("cuda:0", "A100-SXM4-40GB", "b"): 100,
    }


SILENT = {
    "never measured": worker("a", 2),
    "a card that was not measured": measured("a", None),
    "a worker that does not answer": measured("a", 50.0, status=WorkerStatus.NOT_READY),
    "no cards": worker("a", 0),
}


@pytest.mark.parametrize("silent", SILENT.values(), ids=SILENT)
def test_unknown_is_not_zero(silent):
    assert told(silent) == {}


def test_cards_of_no_known_model():
    card = replace(a100(0), model=None)
    gpus = (GpuUtilization(0, gpu_percent=3.0),)

    assert told(worker("a", [card], utilization=Utilization(gpus=gpus))) == {("cuda:0", "unknown", "a"): 3}


def test_what_a_worker_told_last_counts():
    cards = [{"runtime": "cuda", "index": 0, "gpuPercent": 70.5}, {"index": 2, "gpuPercent": 8}]

    assert told(measured("a", 10.0, 20.0), a={"gpus": cards}) == {
        ("cuda:0", "A100-SXM4-40GB", "a"): 70.5,
        ("cuda:1", "A100-SXM4-40GB", "a"): 20,
    }


NONSENSE = {
    "no list": {"gpus": 7},
    "no objects": {"gpus": [7, None, "x"]},
    "no number": {"gpus": [{"index": 0, "gpuPercent": "lots"}]},
    "truth": {"gpus": [{"index": 0, "gpuPercent": True}]},
    "no index": {"gpus": [{"gpuPercent": 5}]},
    "an index that cannot be": {"gpus": [{"index": [0], "gpuPercent": 5}]},
    "a runtime that cannot be": {"gpus": [{"runtime": ["cuda"], "index": 0, "gpuPercent": 5}]},
    "a card that is not there": {"gpus": [{"index": 99, "gpuPercent": 5}]},
    "nothing": {},
}


@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_that_a_worker_tells_is_left_out(nonsense):
    assert told(worker("a", 1), a=nonsense) == {}


def test_measurements_that_are_worked_out_are_asked_for_each_time():
    percents = iter((1, 2))

    class Lazy(UserDict):
        def get(self, key):
            return [{"index": 0, "gpuPercent": next(percents)}]

    workers, lazy = (worker("a", 1),), Lazy()
    family = CardUtilization(lambda: workers, lambda: {"a": lazy})

    assert ["".join(family.lines()).split()[-1] for _ in range(2)] == ["1", "2"]


def test_the_text_follows_the_workers():
    workers = [measured("a", 10.0), measured("b", 20.0)]
    family = CardUtilization(lambda: workers, dict)
    first = "".join(family.lines())
    workers[:] = [workers[0], measured("c", 30.0)]
    kept = family._kept["a"].text
    second = "".join(family.lines())
    workers[0] = measured("a", 11.0)

    assert first.count("\n") == second.count("\n") == 2
    assert 'node="c"' in second
    assert 'node="b"' not in second
    assert family._kept["a"].text is kept
    assert "} 11.0\n" in "".join(family.lines())


def test_many_workers_are_written_in_pieces_and_bounded(monkeypatch):
    workers = [measured(f"w{number}", 1.0, 2.0) for number in range(300)]
    family = CardUtilization(lambda: workers, dict)
    family.about = replace(catalogue.GPU_UTILIZATION, most_series=500)
    pieces = list(family.lines())

    assert len(pieces) > 1
    assert "".join(pieces).count("\n") == 500
    assert family.dropped == 100
