"""The members of a gang keep to one domain."""

import numpy as np
import pytest

from bayplan.cluster.topology import Level, TopologyPath
from bayplan.placement.constraints.within import ALLOWED as ALLOWED_KEY, ELSEWHERE, UNTRIED, AllowedDomains, Within
from unit.placement.builders import ask, keeps_its_promises, subject, verdicts, worker

ASKED = ask()
RACKS = [worker(name, topology=TopologyPath(rack=rack)) for name, rack in (("a", "r1"), ("b", "r2"), ("c", None))]


def numbers():
    """The numbers of the two racks; which is which follows from a hash of their names."""
    ordered = sorted(("r1", "r2"), key=lambda name: TopologyPath(rack=name).sort_key)
    return {name: number for number, name in enumerate(ordered)}


def said(allowed, wanted=3, rooms=()):
    """What is said where these racks are allowed; `rooms` by rack."""
    by_number = [dict(rooms)[name] for name in numbers()] if rooms else []
    within = AllowedDomains(
        Level.RACK, np.array([numbers()[name] for name in allowed], np.int64), wanted, np.array(by_number, np.int64)
    )
    return verdicts(Within(), ASKED, *RACKS, who=subject(constraints={ALLOWED_KEY: within}))


ALLOWED = {
    "one rack": (("r1",), {"a": None, "b": "gang-short", "c": "gang-short"}),
    "both racks": (("r1", "r2"), {"a": None, "b": None, "c": "gang-short"}),
    "no rack": ((), {"a": "gang-short", "b": "gang-short", "c": "gang-short"}),
}


@pytest.mark.parametrize(("allowed", "codes"), ALLOWED.values(), ids=ALLOWED)
def test_only_workers_of_allowed_domains(allowed, codes):
    assert {name: verdict.code for name, verdict in said(allowed).items()} == codes


def test_nobody_said_where_the_gang_may_stand():
    found = verdicts(Within(), ASKED, *RACKS, who=subject())

    assert {verdict.code for verdict in found.values()} == {None}


MESSAGES = {
    "too small": ("a", {"r1": 2, "r2": 0}, "its rack has room for 2 members; 3 must be in one rack", True),
    "nobody counted": ("a", {}, "its rack has room for 0 members; 3 must be in one rack", True),
    "large enough, but another was taken": ("b", {"r1": 0, "r2": 3}, "the gang is in another rack", True),
    "nobody tried": ("b", {"r1": 0, "r2": UNTRIED}, "the room of its rack was not counted", True),
    "members stand elsewhere": ("b", {"r1": 0, "r2": ELSEWHERE}, "the gang is in another rack", True),
    "no rack": ("c", {"r1": 0, "r2": 0}, "is in no rack, and the gang must be in one", False),
}


@pytest.mark.parametrize(("name", "rooms", "message", "curable"), MESSAGES.values(), ids=MESSAGES)
def test_the_reason(name, rooms, message, curable):
    verdict = said((), rooms=rooms)[name]

    assert (verdict.message, verdict.curable) == (message, curable)


def test_what_was_not_tried_is_a_bound():
    within = AllowedDomains(Level.RACK, np.array([], np.int64), 3, np.array([2, 2]), np.array([True, True]))
    found = verdicts(Within(), ASKED, *RACKS, who=subject(constraints={ALLOWED_KEY: within}))

    assert found["a"].message == "its rack has room for at most 2 members; 3 must be in one rack"


def test_contract():
    within = AllowedDomains(Level.RACK, np.array([0]), 2, np.array([2, 1]))
    keeps_its_promises(Within(), RACKS, [ASKED], subject=subject(constraints={ALLOWED_KEY: within}))
    keeps_its_promises(Within(), RACKS, [ASKED])
    assert Within.required
