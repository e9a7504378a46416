import pytest

from bayplan.sizing.divisions import MOST_PARTS, allowed_for, divisions, shapes, tp_obstacle
from bayplan.sizing.engine import Engine
from bayplan.sizing.need import MIB, Need
from bayplan.sizing.overhead import Overhead

VLLM = Engine("vllm")


def need(**numbers):
    return Need(**{"weights_bytes": 64 * MIB, "kv_bytes": 8 * MIB, "overhead": Overhead.of(3)} | numbers)


def shaped(found):
    return [(each.tp, each.pp) for each in found]


OBSTACLES = {
    "heads":                         ({"heads": 28}, 8, "28 attention heads"),
    "heads that can be cut":         ({"heads": 28}, 4, None),
    "KV heads that divide tp":       ({"heads": 32, "kv_heads": 4}, 8, None),
    "KV heads that tp divides":      ({"heads": 32, "kv_heads": 8}, 4, None),
    "KV heads that do neither":      ({"heads": 30, "kv_heads": 10}, 6, "10 KV heads"),
    "a vocabulary":                  ({"heads": 40, "vocab_size": 151936}, 5, "vocabulary of 151,936"),
    "a vocabulary that is padded":   ({"heads": 32, "vocab_size": 32001}, 2, None),
    "vision heads":                  ({"heads": 64, "vision_heads": 20}, 8, "20 vision heads"),
    "blocks that stay whole":        ({"block": 128, "block_sizes": (768,)}, 2, None),
    "blocks that are cut":           ({"block": 128, "block_sizes": (6144, 768)}, 4, "an inner size of 768"),
    "an inner size that is not cut evenly": ({"block": 128, "block_sizes": (768,)}, 5, "an inner size of 768"),
    "nothing known":                 ({}, 7, None),
}  # fmt: skip


@pytest.mark.parametrize(("numbers", "tp", "words"), OBSTACLES.values(), ids=OBSTACLES)
def test_what_keeps_a_model_from_being_cut(numbers, tp, words):
    obstacle = tp_obstacle(need(**numbers), tp)

    assert obstacle is None if words is None else words in (obstacle or "")


def test_shapes_without_a_pipeline_come_first_then_pipelines_with_the_largest_tp():
    found = shaped(divisions(need(heads=4, layers=80), VLLM, 8))

    assert found == [
        (1, 1), (2, 1), (4, 1),
        (1, 2), (1, 3), (2, 2), (1, 4), (1, 5), (2, 3), (1, 6), (1, 7), (4, 2), (2, 4), (1, 8),
    ]  # fmt: skip


SEARCHES = {
    "tp is fixed":                     (Engine("vllm", tp=4), 8, [(4, 1), (4, 2)]),
    "pp is fixed":                     (Engine("vllm", pp=3), 6, [(1, 3), (2, 3)]),
    "both are fixed":                  (Engine("sglang", tp=2, pp=2), 8, [(2, 2)]),
    "a fixed tp that cannot be":       (Engine("vllm", tp=3), 8, []),
    "more than there are cards":       (Engine("vllm", tp=16), 8, []),
    "copies take their cards":         (Engine("vllm", pp=1, dp=2), 8, [(1, 1), (2, 1), (4, 1)]),
    "a pipeline of too many stages":   (Engine("vllm", tp=1, pp=5), 8, []),
    "llama.cpp is one card here":      (Engine("llama-cpp"), 8, [(1, 1)]),
    "custom takes equal shares":       (Engine("custom"), 3, [(1, 1), (2, 1), (3, 1)]),
    "no card at all":                  (Engine("vllm"), 0, []),
}  # fmt: skip


@pytest.mark.parametrize(("engine", "most", "expected"), SEARCHES.values(), ids=SEARCHES)
def test_flags_fix_their_own_number_and_the_rest_is_searched(engine, most, expected):
    assert shaped(divisions(need(heads=16, layers=4), engine, most)) == expected


def test_without_heads_powers_of_two_are_tried_and_flags_are_believed():
    assert [tp for tp, pp in shapes(need(), VLLM, 9) if pp == 1] == [1, 2, 4, 8]
    assert shaped(divisions(need(), Engine("vllm", tp=3, pp=1), 9)) == [(3, 1)]


def test_exactly_so_many_cards():
    assert shaped(allowed_for(need(heads=28, layers=28), VLLM, 8)) == [(4, 2), (2, 4), (1, 8)]
    assert shaped(allowed_for(need(), Engine("custom"), 5)) == [(5, 1)]
    assert allowed_for(need(), Engine("llama-cpp"), 2) == ()


def test_a_division_knows_its_cards_and_what_each_holds():
    (found,) = divisions(need(heads=8, kv_heads=8), Engine("vllm", tp=4, pp=1, dp=2), 8)

    assert (found.cards, found.dp, found.static_mib, found.card_mib) == (8, 2, 18, 21)


def test_shapes_can_be_told_of_an_unknown_size():
    assert shapes(Need(heads=2, unknown="give weights"), Engine("vllm", pp=1), 8) == ((1, 1), (2, 1))


def test_a_search_is_bounded_whatever_the_numbers_say():
    huge = need(heads=2**31 - 1, layers=2**31 - 1)

    assert len(shapes(huge, VLLM, 2**40)) <= 2 * MOST_PARTS
    assert len(shapes(need(heads=128, layers=61), VLLM, 1024)) < 500
