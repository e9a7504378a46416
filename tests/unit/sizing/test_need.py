from fractions import Fraction

import pytest

from bayplan.sizing.need import MIB, Need

GIB = 1024 * MIB
NEED = Need(weights_bytes=80 * GIB, kv_bytes=16 * GIB, overhead_mib=1024, kv_heads=4, layers=48)

CARDS = {
    "whole":                           (1, 1, 96 * 1024 + 1024),
    "tensor parallel cuts both":       (4, 1, 24 * 1024 + 1024),
    "a KV head is kept twice":         (8, 1, 14 * 1024 + 1024),
    "a pipeline cuts layers":          (1, 2, 48 * 1024 + 1024),
    "both":                            (4, 2, 12 * 1024 + 1024),
    "the largest stage counts (7/48)": (1, 7, 96 * 1024 * 7 // 48 + 1024),
}  # fmt: skip


@pytest.mark.parametrize(("tp", "pp", "mib"), CARDS.values(), ids=CARDS)
def test_what_a_card_holds(tp, pp, mib):
    assert NEED.card_mib(tp, pp) == mib
    assert NEED.static_mib(tp, pp) == mib - 1024


def test_without_kv_heads_the_cache_is_divided_by_all_cards():
    need = Need(weights_bytes=8 * GIB, kv_bytes=8 * GIB, overhead_mib=0)

    assert need.card_mib(4, 2) == 2 * 1024


def test_one_latent_head_stays_whole_on_every_card():
    need = Need(weights_bytes=8 * GIB, kv_bytes=2 * GIB, overhead_mib=0, kv_heads=1, is_mla=True)

    assert need.card_mib(8, 1) == 1024 + 2 * 1024


def test_a_byte_more_is_a_mib_more_and_nothing_else_is():
    assert Need(weights_bytes=3 * MIB, kv_bytes=0, overhead_mib=0).card_mib(3, 1) == 1
    assert Need(weights_bytes=3 * MIB + 1, kv_bytes=0, overhead_mib=0).card_mib(3, 1) == 2
    assert Need(weights_bytes=7 * 10**14 * MIB, kv_bytes=0, overhead_mib=0).card_mib(7, 1) == 10**14


def test_in_ram_and_by_layer():
    assert NEED.host_mib == 97 * 1024
    assert NEED.layer_mib == Fraction(96 * 1024, 48)
    assert Need(weights_bytes=1, kv_bytes=0, overhead_mib=0).layer_mib is None


@pytest.mark.parametrize("need", [Need(kv_bytes=0, overhead_mib=0, unknown="give weights"), Need(1, 0, None)])
def test_what_is_unknown_cannot_be_asked(need):
    with pytest.raises(ValueError, match="unknown"):
        need.card_mib(1, 1)
