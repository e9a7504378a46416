import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.experts import ExpertSizes, inner_layers

SPARSE = {"model_type": "olmoe", "hidden_size": 8, "num_experts": 4, "intermediate_size": 50, "num_hidden_layers": 6}


def sparse_layers(changes):
    found = inner_layers(Config.of(SPARSE | changes), [""] * 6)
    return [number for number, layer in enumerate(found) if layer.experts]


LAYERS = {
    "every layer":             ({}, [0, 1, 2, 3, 4, 5]),
    "not the first":           ({"first_k_dense_replace": 2}, [2, 3, 4, 5]),
    "from a layer on":         ({"moe_layer_start_index": 1}, [1, 2, 3, 4, 5]),
    "up to a layer":           ({"moe_layer_end_index": 3}, [0, 1, 2, 3]),
    "not these":               ({"mlp_only_layers": [0, 4]}, [1, 2, 3, 5]),
    "as a list says":          ({"moe_layer_freq": [0, 1, 1, 0, 1, 1]}, [1, 2, 4, 5]),
    "every second":            ({"decoder_sparse_step": 2}, [1, 3, 5]),
    "every second, by Llama":  ({"interleave_moe_layer_step": 2}, [1, 3, 5]),
    "every second, by ERNIE":  ({"moe_layer_interval": 2}, [1, 3, 5]),
    "a period and an offset":  ({"expert_layer_period": 2, "expert_layer_offset": 1}, [1, 3, 5]),
    "a period of three":       ({"expert_layer_period": 3, "expert_layer_offset": 1}, [1, 4]),
    "none":                    ({"num_experts": 1}, []),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "layers"), LAYERS.values(), ids=LAYERS)
def test_which_layers_have_experts(changes, layers):
    assert sparse_layers(changes) == layers


SIZES = {
    "of the inner size":     ({}, ExpertSizes(4, 50, 0, 4, 200)),
    "of their own size":     ({"moe_intermediate_size": 7}, ExpertSizes(4, 7, 0, 4, 28)),
    "with shared ones":      ({"n_shared_experts": 2, "num_experts_per_tok": 3}, ExpertSizes(4, 50, 100, 3, 200)),
    "shared of their own":   ({"shared_intermediate_size": 9}, ExpertSizes(4, 50, 9, 4, 200)),
    "lists":                 ({"moe_intermediate_size": [7] * 6, "moe_topk": [2] * 6, "num_shared_expert": [1] * 6},
                              ExpertSizes(4, 7, 7, 2, 28)),
    "groups of two sizes":   ({"num_experts": [4, 6], "moe_intermediate_size": [7, 5]}, ExpertSizes(6, 7, 0, 6, 58)),
    "Llama 4":               ({"model_type": "llama4_text"}, ExpertSizes(4, 50, 50, 4, 200)),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "sizes"), SIZES.values(), ids=SIZES)
def test_sizes_of_experts(changes, sizes):
    assert inner_layers(Config.of(SPARSE | changes), [""] * 6)[5].experts == sizes


DENSE = {
    "as told":                     ({}, 50),
    "four times the hidden size":  ({"intermediate_size": None}, 32),
    "one a layer":                 ({"intermediate_size": [1, 2, 3, 4, 5, 6]}, 6),
    "gate and up together":        ({"model_type": "qwen"}, 25),
    "Llama 4":                     ({"model_type": "llama4_text", "intermediate_size_mlp": 99}, 99),
    "MiniMax M3":                  ({"model_type": "minimax_m3", "dense_intermediate_size": 99}, 99),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "size"), DENSE.values(), ids=DENSE)
def test_sizes_of_dense_layers(changes, size):
    assert inner_layers(Config.of(SPARSE | {"num_experts": 0} | changes), [""] * 6)[5].dense == size


def test_a_dense_layer_beside_the_experts():
    both = inner_layers(Config.of(SPARSE | {"model_type": "gemma4_text", "enable_moe_block": True}), [""])

    assert (both[0].dense, both[0].experts is not None) == (50, True)


def test_layers_that_are_one_block():
    found = inner_layers(Config.of(SPARSE), ["M", "-", "E", "*"])

    assert [(layer.dense, layer.experts is not None) for layer in found] == [
        (0, False),
        (50, False),
        (0, True),
        (0, False),
    ]
