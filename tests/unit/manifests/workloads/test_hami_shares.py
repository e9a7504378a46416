"""What several containers ask of HAMi together, and what cannot be said in one request."""

from fractions import Fraction

import pytest

from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.workload import GpuRequest
from bayplan.framework.errors import InputError
from bayplan.manifests.workloads.hami_shares import hami_share

GPU, MEMORY, PERCENT, CORES = (f"nvidia.com/{name}" for name in ("gpu", "gpumem", "gpumem-percentage", "gpucores"))


def share(unit, count=1, **amounts):
    return GpuRequest(count, runtime="cuda", sharing=Sharing.HAMI, unit=unit, **amounts)


ASKED = {
    "a share":                       ([{MEMORY: 900}], [], share(MEMORY, memory_mib=900)),
    "of several cards":              ([{GPU: 3, MEMORY: 9}], [], share(MEMORY, 3, memory_mib=9)),
    "others ask for nothing":        ([{}, {MEMORY: 9}, {"cpu": 4}], [], share(MEMORY, memory_mib=9)),
    "MiB go before percent":         ([{MEMORY: 9, PERCENT: 50}], [], share(MEMORY, memory_mib=9)),
    "cores without memory":          ([{CORES: 30}], [], share(CORES)),
    "two whole cards":               ([{CORES: 30}, {GPU: 2, CORES: 20}], [], share(CORES, 3)),
    "no two of them on one card":    ([{PERCENT: 51}] * 2, [], share(PERCENT, 2, fraction=Fraction(51, 100))),
    "nor by their cores":            ([{MEMORY: 9, CORES: 51}] * 2, [],
                                      share(MEMORY, 2, memory_mib=9, compute_milli=510)),
    "a start that asks for less":    ([{GPU: 2, MEMORY: 9, CORES: 5}], [{MEMORY: 8}],
                                      share(MEMORY, 2, memory_mib=9, compute_milli=50)),
    "a start on whole cards":        ([{GPU: 1}], [{PERCENT: 10, CORES: 100}], share(PERCENT)),
    "only a start":                  ([{}], [{PERCENT: 10}], share(PERCENT, fraction=Fraction(1, 10))),
}  # fmt: skip


@pytest.mark.parametrize(("beside", "passing", "expected"), ASKED.values(), ids=ASKED)
def test_one_kind_of_share(beside, passing, expected):
    assert hami_share(beside, passing) == expected


UNCLEAR = {
    "two may be on one card":        ([{MEMORY: 9}] * 2, [], "2 containers ask HAMi for shares"),
    "half a card, twice":            ([{PERCENT: 50}] * 2, [], "on one card or on several"),
    "a whole card and a share":      ([{GPU: 1}, {MEMORY: 9}], [], "on one card or on several"),
    "shares of two sizes":           ([{PERCENT: 60}, {PERCENT: 70}], [], "on one card or on several"),
    "a start with more memory":      ([{MEMORY: 9}], [{MEMORY: 10}], "an init container"),
    "a start with more cards":       ([{MEMORY: 9}], [{GPU: 2, MEMORY: 9}], "an init container"),
    "a start with more cores":       ([{MEMORY: 9}], [{MEMORY: 9, CORES: 1}], "an init container"),
    "a start with a whole card":     ([{MEMORY: 9}], [{GPU: 1}], "an init container"),
    "a start that counts otherwise": ([{PERCENT: 9}], [{MEMORY: 9}], "an init container"),
    "more than a card's memory":     ([{PERCENT: 101}], [], "gpumem-percentage: 101 % are more than a card has"),
    "more than a card's cores":      ([{MEMORY: 9, CORES: 200}], [], "gpucores: 200 % are more than a card has"),
}  # fmt: skip


@pytest.mark.parametrize(("beside", "passing", "told"), UNCLEAR.values(), ids=UNCLEAR)
def test_what_one_request_cannot_say(beside, passing, told):
    with pytest.raises(InputError, match=told):
        hami_share(beside, passing)
