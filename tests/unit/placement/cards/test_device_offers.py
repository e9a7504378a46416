"""Which workers serve an ask that names a resource, and what the others are told."""

import numpy as np
import pytest

from bayplan.cluster.device_offer import WHOLE_CARDS, DeviceKind, DeviceOffer, Sharing
from bayplan.cluster.pools import Pools
from bayplan.framework.reasons import Reasons
from bayplan.placement.asks.ask import CardShape
from bayplan.placement.cards.device_offers import not_offered, served, told_apart
from unit.placement.builders import ask

PLACES = DeviceOffer(kind=DeviceKind.PLACE, per_container=1, sharing=Sharing.TIME_SLICING)
SMALL, LARGE = (DeviceOffer(kind=DeviceKind.SLICE, profile=profile) for profile in ("1g.5gb", "3g.20gb"))
RENAMED = DeviceOffer("nvidia.com/gpu.shared", DeviceKind.PLACE, sharing=Sharing.MPS)
BY_PROFILE = DeviceOffer("nvidia.com/mig-1g.5gb", DeviceKind.SLICE, "1g.5gb")


class Rows:
    """What the rows of some workers show of their devices."""

    def __init__(self, *offers):
        self.pools, self.size = Pools(), len(offers)
        self.device_offer_id = np.array(self.pools.device_offers.numbers(offers))


def asked(devices=None, **others):
    return ask(devices=devices, shapes=(CardShape(2),), **others)


def test_an_ask_that_names_nothing_may_use_all():
    assert served(asked(), Rows(WHOLE_CARDS, PLACES)) is None


ALL = (WHOLE_CARDS, PLACES, SMALL, LARGE, RENAMED)
SERVED = {
    "whole cards": (asked(WHOLE_CARDS), [WHOLE_CARDS]),
    "places": (asked(PLACES), [PLACES]),
    "more places than a container gets": (asked(PLACES, per_container=2), []),
    "slices of one profile": (asked(SMALL), [SMALL]),
    "a name of its own": (asked(RENAMED), [RENAMED]),
    "slices by their profile: not where they have the plain name": (asked(BY_PROFILE), [WHOLE_CARDS, PLACES, RENAMED]),
    "a way of sharing": (asked(sharing=Sharing.MPS), [RENAMED]),
}


@pytest.mark.parametrize(("what", "offers"), SERVED.values(), ids=SERVED)
def test_rows_that_serve_an_ask(what, offers):
    assert served(what, Rows(*ALL)).tolist() == [each in offers for each in ALL]


TOLD = {
    "another name": (
        asked(RENAMED), WHOLE_CARDS, "gpu-count-short", "offers nvidia.com/gpu, not nvidia.com/gpu.shared",
    ),
    "another kind": (
        asked(WHOLE_CARDS), SMALL, "gpu-count-short", "a device of it is a MIG slice 1g.5gb, not a whole card",
    ),
    "another profile": (
        asked(SMALL), LARGE, "gpu-count-short", "a device of it is a MIG slice 3g.20gb, not a MIG slice 1g.5gb",
    ),
    "too many for one container": (
        asked(PLACES, per_container=2), PLACES, "gpu-count-short",
        "needs 2 places for one container; a container gets at most 1 here",
    ),
    "slices under the plain name": (
        asked(BY_PROFILE), SMALL, "mig-unavailable",
        "offers its slices as nvidia.com/gpu, not as nvidia.com/mig-1g.5gb",
    ),
    "another way of sharing": (
        asked(sharing=Sharing.HAMI, unit="nvidia.com/gpumem"), PLACES, "resource-short",
        "offers no nvidia.com/gpumem: hami does not run on it",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "offer", "code", "problem"), TOLD.values(), ids=TOLD)
def test_why_a_row_does_not_serve_it(what, offer, code, problem):
    (reason,) = not_offered(what, Rows(offer))

    assert (reason.code, reason.curable) == (code, False)
    assert reason.columns["problem"] == [problem]


def test_only_a_resource_that_is_short_has_numbers():
    (short,) = not_offered(asked(sharing=Sharing.HAMI), Rows(PLACES))
    (other,) = not_offered(asked(RENAMED), Rows(PLACES))

    assert (short.columns["needed"], short.columns["free"]) == (2, 0)
    assert "needed" not in other.columns


def test_rows_that_serve_it_are_explained_by_others():
    rows = Rows(WHOLE_CARDS, SMALL, WHOLE_CARDS)
    rows.free = np.array([7, 8, 9])
    seen = []

    def explain(what, some):
        seen.append((some.size, some.free.tolist()))
        return Reasons("full", curable=True)

    full, other = told_apart(asked(WHOLE_CARDS), rows, np.array([True, False, True]), explain, ("free", "pools"))

    assert seen == [(2, [7, 9])]
    assert (full.code, full.places.tolist()) == ("full", [0, 2])
    assert (other.code, other.places.tolist()) == ("gpu-count-short", [1])


def test_where_no_row_serves_it_nobody_else_is_asked():
    (only,) = told_apart(asked(WHOLE_CARDS), Rows(SMALL), np.array([False]), None, ())

    assert only.places.tolist() == [0]
