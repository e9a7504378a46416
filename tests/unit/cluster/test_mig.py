"""MIG: what a card may be cut into, and how much room a cut card has left."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.mig import (
    COMPUTE_SLICES,
    GEOMETRIES,
    MASKS,
    MigInstance,
    profile_memory_mib,
)
from bayplan.framework.errors import InputError

ALL = [(geometry, profile) for geometry in GEOMETRIES.values() for profile in geometry.profiles]
IDS = [f"{geometry.name}-{profile.name}" for geometry, profile in ALL]
A100_40 = GEOMETRIES["40GB"]

# As `nvidia-smi mig -lgip` counts them on an empty card.
INSTANCES = {
    "40GB": {"1g.5gb": 7, "1g.10gb": 4, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1, "7g.40gb": 1},
    "80GB": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1},
    "141GB": {"1g.18gb": 7, "1g.35gb": 4, "2g.35gb": 3, "3g.71gb": 2, "4g.71gb": 1, "7g.141gb": 1},
    "180GB": {"1g.23gb": 7, "1g.45gb": 4, "2g.45gb": 3, "3g.90gb": 2, "4g.90gb": 1, "7g.180gb": 1},
    "24GB": {"1g.6gb": 4, "2g.12gb": 2, "4g.24gb": 1},
}


@pytest.mark.parametrize("name", INSTANCES)
def test_an_empty_card_gives_as_many_instances_as_nvidia_says(name):
    assert {p.name: p.room[0] for p in GEOMETRIES[name].profiles} == INSTANCES[name]


@pytest.mark.parametrize(("geometry", "profile"), ALL, ids=IDS)
def test_the_table_of_room_equals_trying_every_set_of_starts(geometry, profile):
    def brute(taken):
        for count in range(len(profile.starts), 0, -1):
            for starts in combinations(profile.starts, count):
                masks = [taken, *(profile.mask(start) for start in starts)]
                if sum(mask.bit_count() for mask in masks) == _union(masks).bit_count():
                    return count
        return 0

    assert list(profile.room) == [brute(taken) for taken in range(MASKS)]


def _union(masks):
    union = 0
    for mask in masks:
        union |= mask
    return union


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
def test_legal_starts_never_use_more_than_seven_compute_slices(geometry):
    best = [0] * MASKS
    for taken in reversed(range(MASKS)):
        best[taken] = max(
            (_compute(p) + best[taken | p.mask(s)] for p in geometry.profiles for s in p.free_starts(taken)),
            default=0,
        )

    assert best[0] <= COMPUTE_SLICES


def _compute(profile):
    return int(profile.name.split("g", 1)[0])


@given(st.sampled_from(list(GEOMETRIES.values())), st.data())
def test_instances_never_overlap_whatever_comes_and_goes(geometry, data):
    held: list[MigInstance] = []
    for _ in range(data.draw(st.integers(1, 20))):
        if held and data.draw(st.booleans()):
            held.pop(data.draw(st.integers(0, len(held) - 1)))
            continue
        profile = data.draw(st.sampled_from(geometry.profiles))
        taken = geometry.occupied(held)
        starts = profile.free_starts(taken)
        assert len(starts) == profile.room[taken]
        if starts:
            held.append(MigInstance(profile.name, data.draw(st.sampled_from(starts))))

    sizes = sum(geometry.by_name[instance.profile].size for instance in held)
    assert geometry.occupied(held).bit_count() == sizes


TOGETHER = {
    "half and half": (["4g.20gb", "3g.20gb"], 0, True),
    "seven small": (["1g.5gb"] * 7, 0, True),
    "eight small": (["1g.5gb"] * 8, 0, False),
    "three thirds leave a small one": (["2g.10gb", "2g.10gb", "2g.10gb", "1g.5gb"], 0, True),
    "the order asked does not matter": (["1g.5gb", "2g.10gb", "4g.20gb"], 0, True),
    "two large halves": (["4g.20gb", "4g.20gb"], 0, False),
    "on a card that is partly taken": (["3g.20gb", "3g.20gb"], 0b1, False),
    "a profile of another card": (["3g.40gb"], 0, False),
    "nothing": ([], 0, True),
}  # fmt: skip


@pytest.mark.parametrize(("wanted", "taken", "fits"), TOGETHER.values(), ids=TOGETHER)
def test_several_instances_at_once(wanted, taken, fits):
    arranged = A100_40.arrange(wanted, taken)

    assert (arranged is not None) == fits
    if arranged is not None:
        assert [instance.profile for instance in arranged] == wanted
        assert not A100_40.occupied(arranged) & taken


REFUSED = {
    "a profile of another card": ([MigInstance("3g.40gb", 0)], "mig.slices[0].profile"),
    "an illegal start": ([MigInstance("1g.5gb", 0), MigInstance("3g.20gb", 2)], "mig.slices[1].start"),
    "no start": ([MigInstance("1g.5gb")], "mig.slices[0].start"),
    "the last slice": ([MigInstance("1g.5gb", 7)], "mig.slices[0].start"),
    "an overlap": ([MigInstance("3g.20gb", 0), MigInstance("1g.5gb", 3)], "mig.slices[1]"),
}  # fmt: skip


@pytest.mark.parametrize(("instances", "place"), REFUSED.values(), ids=REFUSED)
def test_what_no_card_can_hold_is_refused(instances, place):
    with pytest.raises(InputError) as caught:
        A100_40.occupied(instances, "mig.slices")

    assert caught.value.place == place


def test_profile_names_are_read_whatever_their_case():
    assert A100_40.profile("1G.5GB") is A100_40.by_name["1g.5gb"]
    assert str(MigInstance("1g.5gb", 3)) == "1g.5gb@3"
    assert str(MigInstance("1g.5gb")) == "1g.5gb"


NAMES = {"1g.5gb": 5120, "7g.141gb": 144384, "1g": None, "g.5gb": None, "1g.xgb": None, "1g.99999gb": None}


@pytest.mark.parametrize(("name", "memory_mib"), NAMES.items(), ids=NAMES)
def test_the_memory_in_a_profile_name(name, memory_mib):
    assert profile_memory_mib(name) == memory_mib
