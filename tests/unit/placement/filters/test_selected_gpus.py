"""A workload that names its cards stays on the workers that have them."""

import pytest

from bayplan.placement.filters.selected_gpus import SelectedGpus
from unit.placement.builders import ask, gpu, judge, keeps_its_promises, worker

CASES = {
    "nothing is named": (None, None),
    "one card of the worker": (["a:cuda:0"], None),
    "one of its cards, one of another": (["b:cuda:0", "a:cuda:1"], None),
    "a card of another worker": (["b:cuda:0"], "not-selected"),
    "a card that the worker does not have": (["a:cuda:2"], "not-selected"),
    "a card of another runtime": (["a:rocm:0"], "not-selected"),
    "nothing of what was named exists": ([], "not-selected"),
}


@pytest.mark.parametrize(("gpu_ids", "code"), CASES.values(), ids=CASES)
def test_named_cards(gpu_ids, code):
    verdict = judge(SelectedGpus(), ask(gpu_ids=gpu_ids), worker("a", cards=2))

    assert (verdict.code, verdict.curable) == (code, False)


MESSAGES = {
    "one": (["b:cuda:0"], "gpuIds names 1 card of 1 other worker, and none of this worker"),
    "several": (
        ["b:cuda:0", "b:cuda:1", "c:cuda:0"],
        "gpuIds names 3 cards of 2 other workers, and none of this worker",
    ),
    "none": ([], "gpuIds names no card of this cluster"),
}


@pytest.mark.parametrize(("gpu_ids", "message"), MESSAGES.values(), ids=MESSAGES)
def test_the_reason_says_how_many_cards_were_named(gpu_ids, message):
    assert judge(SelectedGpus(), ask(gpu_ids=gpu_ids), worker("a", cards=2)).message == message


def test_contract():
    workers = [worker(cards=2), worker(cards=1), worker(cards=0), worker(cards=(gpu(3), gpu(0, runtime="rocm")))]
    ids = [None, [], ["w0:cuda:1", "w3:rocm:0"], ["w1:cuda:1"]]
    keeps_its_promises(SelectedGpus(), workers, [ask(gpu_ids=each) for each in ids])
    assert SelectedGpus.required
