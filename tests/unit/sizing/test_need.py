from fractions import Fraction

import pytest

from bayplan.sizing.need import MIB, Need
from bayplan.sizing.overhead import Overhead

GIB = 1024 * MIB
NEED = Need(weights_bytes=80 * GIB, kv_bytes=16 * GIB, overhead=Overhead.of(1024), kv_heads=4, layers=48)

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
    need = Need(weights_bytes=8 * GIB, kv_bytes=8 * GIB, overhead=Overhead.of(0))

    assert need.card_mib(4, 2) == 2 * 1024


def test_one_latent_head_stays_whole_on_every_card():
    need = Need(weights_bytes=8 * GIB, kv_bytes=2 * GIB, overhead=Overhead.of(0), kv_heads=1, is_mla=True)

    assert need.card_mib(8, 1) == 1024 + 2 * 1024


def test_a_byte_more_is_a_mib_more_and_nothing_else_is():
    assert Need(weights_bytes=3 * MIB, kv_bytes=0, overhead=Overhead.of(0)).card_mib(3, 1) == 1
    assert Need(weights_bytes=3 * MIB + 1, kv_bytes=0, overhead=Overhead.of(0)).card_mib(3, 1) == 2
    assert Need(weights_bytes=7 * 10**14 * MIB, kv_bytes=0, overhead=Overhead.of(0)).card_mib(7, 1) == 10**14


def test_a_tower_is_whole_on_every_card_and_a_state_is_cut_by_all():
    need = Need(
        weights_bytes=9 * GIB,
        kv_bytes=12 * GIB,
        overhead=Overhead.of(0),
        whole_bytes=GIB,
        state_bytes=8 * GIB,
        kv_heads=1,
    )

    assert need.static_mib(1, 1) == 21 * 1024
    assert need.static_mib(4, 1) == (1 + 2 + 2 + 4) * 1024


def test_the_overhead_of_a_card_follows_from_the_division():
    need = Need(weights_bytes=0, kv_bytes=0, overhead=Overhead(10, 20, inner_bytes=Fraction(8 * MIB)))

    assert [need.overhead_on(*shape) for shape in ((1, 1), (1, 2), (2, 1), (8, 2))] == [18, 28, 24, 21]
    assert need.card_mib(2, 1) == 24
    assert (need.overhead_given, NEED.overhead_given) == (False, True)


def test_in_ram_and_by_layer():
    assert NEED.host_mib == 97 * 1024
    assert NEED.layer_mib == Fraction(96 * 1024, 48)
    assert Need(weights_bytes=1, kv_bytes=0, overhead=Overhead.of(0)).layer_mib is None


@pytest.mark.parametrize("need", [Need(kv_bytes=0, overhead=Overhead.of(0), unknown="give weights"), Need(1, 0, None)])
def test_what_is_unknown_cannot_be_asked(need):
    with pytest.raises(ValueError, match="unknown"):
        need.card_mib(1, 1)
