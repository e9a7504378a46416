"""The two passes over the table of server replicas, and plugins that users add."""

import numpy as np
import pytest

from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile, Weighted
from bayplan.serving.decision.decider import Decider
from bayplan.serving.defaults import FILTERS, SCORERS
from unit.serving.builders import ask, default_profiles, replica, server, subject, table


def picked(outcome):
    return outcome.decision.primary if outcome.ok else None, [pick.key for pick in outcome.picked]


PASSES = {  # free memory of the replicas of a and b; desired, minimum; the pass that answers, replicas
    "all on one server": (([50, 90], [95]), (2, 1), ("all", ["a/1", "a/0"])),
    "all elsewhere beat some here": (([5, 90], [50, 50]), (2, 1), ("all", ["b/0", "b/1"])),
    "as many as fit": (([5, 90], [5]), (2, 1), ("minimum", ["a/1"])),
    "all or nothing": (([5, 90], [5]), (2, 0), (None, [])),
    "fewer than the minimum": (([5, 90], [5]), (3, 2), (None, [])),
    "the most free memory in sum": (([90, 20], [60, 60]), (2, 0), ("all", ["b/0", "b/1"])),
    "one replica: the most free memory": (([90, 20], [60, 60]), (1, 0), ("all", ["a/0"])),
    "equal servers by name": (([50], [50]), (1, 0), ("all", ["a/0"])),
    "equal replicas by index": (([50, 50, 50], []), (2, 0), ("all", ["a/0", "a/1"])),
    "more replicas before more memory": (([90], [20, 20]), (3, 1), ("minimum", ["b/0", "b/1"])),
    "none wanted": (([], []), (0, 0), ("all", [])),
}  # fmt: skip


@pytest.mark.parametrize(("frees", "wanted", "expected"), PASSES.values(), ids=PASSES)
def test_passes(frees, wanted, expected):
    made = ([replica(index, mib) for index, mib in enumerate(each)] for each in frees)
    rows = table(*(server(name, each) for name, each in zip("ab", made, strict=True)))
    desired, minimum = wanted

    assert picked(Decider(default_profiles()).decide(subject(desired=desired), minimum, rows)) == expected


def test_the_current_server_comes_first():
    rows = table(server("a", 1, memory=90), server("b", 1, memory=20))

    assert picked(Decider(default_profiles()).decide(subject(current=1), 0, rows)) == ("all", ["b/0"])


class Even:
    """A user's filter: replicas with an even index only."""

    name, reads = "even", ("index",)

    def mask(self, ask, rows, cycle):
        return rows.index % 2 == 0


class Last:
    """A user's sorter of servers: the last name first."""

    name, reads, ranks = "last", ("server",), "servers"

    def score(self, ask, rows, cycle):
        return rows.server / 10


def test_users_add_filters_and_sorters():
    scorers = (Weighted(Last(), level=0), *(Weighted(each(), level=n) for n, each in enumerate(SCORERS, start=1)))
    mine = Profile("mine", MaxScore(), (*(each() for each in FILTERS), Even()), scorers)
    rows = table(server("a", 4), server("b", 4))

    outcome = Decider({"mine": mine}).decide(subject(desired=3), 1, rows)

    assert picked(outcome) == ("minimum", ["b/0", "b/2"]), "one profile serves both passes"


def test_the_filters_that_judge_servers():
    assert Decider(default_profiles()).server_filters == {"has-replicas", "sharing", "not-deleted", "dedicated"}


def test_many_wants_do_not_fill_memory():
    decider, rows = Decider(default_profiles()), table(server("a", 1))
    for desired in range(1, 5000):
        decider._wanted(desired, 0)

    assert len(decider._passes) <= 4096
    assert picked(decider.decide(subject(ask(0)), 0, rows)) == ("all", ["a/0"])


def test_scores_tell_one_mib_apart():
    rows = table(server("a", [replica(0, 2**44)]), server("b", [replica(0, 2**44 + 1)]))

    assert picked(Decider(default_profiles()).decide(subject(), 0, rows)) == ("all", ["b/0"])
    assert np.all(rows.table.columns["free_mib"] > 0)
