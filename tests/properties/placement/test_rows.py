"""Judging many workers at once equals judging each of them alone."""

import numpy as np
from hypothesis import assume, event, example, given, strategies as st

from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.subject import Subject
from bayplan.placement.cards.choose import choose, look
from properties.placement.documents import FEWER, card_specs, clusters, model_specs, workload
from properties.placement.fitting import takes_no_division

FIT, GIVEN = ("card_room", "fit_shape", "fit_order", "fit_rank"), ("chosen", "places", "fullness")
nobody = Subject("new")


FULL_CARD = {"runtime": "cuda", "index": 0, "memory": 16, "observedUsed": 21}
FREE_CARDS = [{"runtime": "cuda", "index": index, "memory": 20} for index in range(1, 5)]
A_SHARE_OF_NOTHING = {
    "workers": [{"name": "w0", "gpus": [FULL_CARD, *FREE_CARDS[:2]]}, {"name": "w1", "gpus": FREE_CARDS}],
    "bookings": [],
}


@FEWER
@example(A_SHARE_OF_NOTHING, {"gpus": {"count": 3, "memory": 0}}, 2, "tight")
@given(clusters(most=5), model_specs() | card_specs(), st.integers(1, 4), st.sampled_from(("tight", "even")))
def test_many_rows_are_as_each_alone(cluster, spec, copies, order):
    assume(not takes_no_division(spec))
    planner, _ = planner_of(cluster)
    (sized,) = read_sized_workloads(documents_of([workload(spec)], "workloads"))
    table = planner.state.snapshot.table
    for ask in ask_tiers(sized.roles[0], planner.state.snapshot, copies).asks:
        event(ask.tier)
        together = _found(ask, table, np.arange(table.size), order)
        for row in range(table.size):
            alone = _found(ask, table, np.array([row]), order)
            for name in (*FIT, *GIVEN):
                assert together[name][row].tolist() == alone[name][0].tolist(), (ask.tier, name)


def _found(ask, table, index, order):
    rows = look(ask, table, index)
    given = choose(ask, rows, order, nobody)
    return {name: getattr(rows, name) for name in FIT} | given._asdict()
