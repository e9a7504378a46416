"""Layouts: which instances a card may give, and which slices each takes."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.mig_layout import UNCUT, layout_of
from fleets import CUT, FIXED, a100

TO_BE_CUT = MigState(enabled=False, reconfigurable=True)
OFF = MigState(enabled=False, slices=(MigInstance("1g.5gb", 0),))
LISTED = MigState(reconfigurable=True, slices=FIXED.slices)
NINE = MigState(slices=tuple(MigInstance("1x", start) for start in range(9)))


def test_cards_that_are_alike_share_a_layout_of():
    assert layout_of(a100(0, mig=CUT)) is layout_of(a100(1, mig=CUT, uuid="GPU-1"))
    assert layout_of(a100(0)) is UNCUT


FIXED_SO = "the card has no such instance and may not be reconfigured"
PROBLEMS = {
    "a legal start":               (a100(mig=CUT), ("2g.10gb", 4), None),
    "names in any case":           (a100(mig=CUT), ("2G.10GB", 4), None),
    "an idle card to be cut":      (a100(mig=TO_BE_CUT), ("2g.10gb", 4), None),
    "a slice that exists":         (a100(mig=FIXED), ("2G.10gb", 4), None),
    "a listed slice of any card":  (Gpu(0, mig=FIXED), ("2g.10gb", 4), None),
    "says nothing about MIG":      (a100(), ("1g.5gb", 0), "MIG is not enabled on the card"),
    "no start":                    (a100(mig=CUT), ("1g.5gb", None), "its start is missing"),
    "an illegal start":            (a100(mig=CUT), ("2g.10gb", 6), "legal starts are 0, 2, 4"),
    "a profile of larger cards":   (a100(mig=CUT), ("3g.40gb", 0), "40GB cards have no such profile"),
    "an unknown geometry":         (Gpu(0, mig=CUT), ("1g.5gb", 0), "how this card can be divided by MIG is not known"),
    "listed on such a card":       (Gpu(0, mig=LISTED), ("2g.10gb", 4), None),
    "a slice that is not there":   (a100(mig=FIXED), ("1g.5gb", 0), FIXED_SO),
    "listed, but MIG is off":      (a100(mig=OFF), ("1g.5gb", 0), FIXED_SO),
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "wanted", "says"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_may_be_on_a_card(gpu, wanted, says):
    assert layout_of(gpu).problem(MigInstance(*wanted)) == says


MASKS = {
    "by geometry":                 (a100(mig=CUT), ("2g.10gb", 4), 0b0011_0000),
    "the whole card":              (a100(mig=CUT), ("7g.40gb", 0), 0b1111_1111),
    "by place in the list":        (Gpu(0, mig=FIXED), ("2g.10gb", 4), 0b10),
    "the eighth of a list":        (Gpu(0, mig=NINE), ("1x", 7), 0b1000_0000),
    "the ninth cannot be told":    (Gpu(0, mig=NINE), ("1x", 8), 0b1111_1111),
    "no such profile":             (a100(mig=CUT), ("1x", 0), 0b1111_1111),
    "no start":                    (a100(mig=CUT), ("1g.5gb", None), 0b1111_1111),
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "wanted", "mask"), MASKS.values(), ids=MASKS)
def test_the_slices_that_an_instance_takes(gpu, wanted, mask):
    assert layout_of(gpu).mask(MigInstance(*wanted)) == mask


ROOM = {
    "an empty card":               (a100(mig=CUT), "1g.5gb", 0, 7),
    "cut anew beside others":      (a100(mig=CUT), "3G.20gb", 0b0000_0001, 1),
    "slices that exist":           (a100(mig=FIXED), "3g.20gb", 0, 1),
    "taken slices":                (a100(mig=FIXED), "3g.20gb", 0b0000_0001, 0),
    "another one is taken":        (a100(mig=FIXED), "1g.5gb", 0b0000_1111, 1),
    "no such slice":               (a100(mig=FIXED), "4g.20gb", 0, 0),
    "no such profile":             (a100(mig=CUT), "1x", 0, 0),
    "MIG is off":                  (a100(mig=OFF), "1g.5gb", 0, 0),
    "an idle card to be cut":      (a100(mig=TO_BE_CUT), "2g.10gb", 0, 3),
    "an unknown geometry":         (Gpu(0, mig=CUT), "1g.5gb", 0, 0),
    "what such a card has":        (Gpu(0, mig=LISTED), "1g.5gb", 0, 1),
    "says nothing about MIG":      (a100(), "1g.5gb", 0, 0),
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "profile", "taken", "room"), ROOM.values(), ids=ROOM)
def test_how_many_more_there_may_be(gpu, profile, taken, room):
    assert layout_of(gpu).room(profile)[taken] == room


@pytest.mark.parametrize(
    ("model", "memory_mib", "slices"), [("A30", 24_576, 4), ("A100-SXM4-40GB", 40_960, 8), (None, None, 8)]
)
def test_how_many_slices_a_card_has(model, memory_mib, slices):
    assert layout_of(Gpu(0, model=model, memory_mib=memory_mib, mig=CUT)).slices == slices
