from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, kinds, model, worker

FOUR = cluster(worker(cards=4))
VLLM = {"backend": {"name": "vllm"}}


def dividing(weights, count, **others):
    return {"model": model(weights, architecture=LLAMA_70B), "gpus": {"count": count}, **VLLM, **others}


CASES = {
    "fewer whole cards":                  ({"gpus": {"count": 7}}, 4, 5),
    "fewer cards that divide the model":  (dividing("100Gi", 8), 4, 5),
    "more cards, each with less":         (dividing("200Gi", 1), 3, 2),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "count", "short"), CASES.values(), ids=CASES)
def test_the_nearest_number_of_cards(spec, count, short):
    found = change(spec, FOUR, "gpu-count")

    assert (found["to"], found["not_enough"]["to"]) == (count, short)
    assert found["detail"].startswith(f"{count} cards instead of {spec['gpus']['count']}")


def test_no_number_of_cards_holds_it():
    assert "gpu-count" not in kinds(dividing("400Gi", 2), FOUR)
