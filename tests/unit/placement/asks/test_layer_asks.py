"""Models that llama.cpp divides by layers."""

import pytest

from unit.placement.builders import asks_of, need, role, worker

EIGHT = worker("a", cards=8)


def test_layers_that_nobody_counted_are_not_divided():
    asked = asks_of(role(need(10), "llama-cpp", cpu_offload=True, distributed=True), EIGHT)

    assert [str(ask.tier) for ask in asked.asks] == ["one-gpu", "cpu"]
    assert asked.warnings == ("model.architecture.layers is not known, so the model is not divided over cards",)


def llama(flag, *, cpu_offload=True, layers=80, **others):
    return role(need(8000, layers=layers), "llama-cpp", "-ngl", flag, cpu_offload=cpu_offload, **others)


GPU_LAYERS = {
    "none": (llama("0"), ["cpu"], None),
    "none of a number that nobody knows": (llama("0", layers=None), ["cpu"], None),
    "some": (llama("60"), ["partial-offload"], (60, 20)),
    "some, over workers": (llama("60", distributed=True), ["partial-offload", "partial-offload+"], (60, 20)),
    "all": (llama("80"), ["one-gpu", "one-worker"], (80, 0)),
    "more than there are": (llama("999"), ["one-gpu", "one-worker"], (80, 0)),
    "all, without leave to offload": (llama("80", cpu_offload=False), ["one-gpu", "one-worker"], (80, 0)),
    "as many as fit": (llama("auto"), ["one-gpu", "one-worker", "partial-offload", "cpu"], (80, 0)),
    "of a number that nobody knows": (llama("5", layers=None), ["one-gpu"], None),
    "some, on so many cards": (llama("60", gpus={"count": 2}), ["as-requested"], (60, 20)),
    "some, on one card": (llama("60", gpus={"count": 1}), ["as-requested"], (60, 20)),
    "all, on one card": (llama("80", gpus={"count": 1}), ["as-requested"], None),
}


@pytest.mark.parametrize(("what", "wanted", "layers"), GPU_LAYERS.values(), ids=GPU_LAYERS)
def test_layers_that_a_flag_puts_on_cards(what, wanted, layers):
    asks = asks_of(what, EIGHT).asks
    found = {(ask.layers.count, ask.layers.kept) for ask in asks if ask.layers is not None}

    assert [str(ask.tier) + "+" * ask.spans for ask in asks] == wanted
    assert found == ({layers} if layers else set())


@pytest.mark.parametrize(("count", "warnings"), [(2, ()), (3, ("gpus.count: of 3 cards only 2 get a layer",))])
def test_cards_that_get_no_layer_are_told(count, warnings):
    asked = asks_of(role(need(40, layers=2), "llama-cpp", gpus={"count": count}), EIGHT)

    assert asked.warnings == warnings


def test_a_model_without_weights_has_layers_of_a_byte():
    (ask,) = asks_of(role(need(0, layers=4), "llama-cpp", gpus={"count": 2}), EIGHT).asks

    assert 0 < ask.layers.layer_mib < 0.001
    assert (ask.layers.count, ask.layers.cards) == (4, 2)
