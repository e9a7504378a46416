"""Free MIG instances of a fleet, profile by profile."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.mig import MigState
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.cards.mig.free_instances import FreeProfile, free_slices
from fleets import CUT, FIXED, booking, instance, whole
from unit.placement.builders import Snapshot, gpu, worker

OFF = MigState(enabled=False, reconfigurable=True)

CASES = {
    "nothing is cut": ({"cards": 2}, [], []),
    "what exists": (
        {"cards": [gpu(mig=FIXED)]}, [], [("1g.5gb", 1, 1, 0), ("2g.10gb", 1, 1, 0), ("3g.20gb", 1, 1, 0)],
    ),
    "what is held is not free": (
        {"cards": [gpu(mig=FIXED)]}, [instance("2g.10gb", 4)], [("1g.5gb", 1, 1, 0), ("3g.20gb", 1, 1, 0)],
    ),
    "what could be made": (
        {"cards": [gpu(mig=CUT)]},
        [instance("4g.20gb", 0)],
        [("1g.5gb", 3, 0, 0), ("1g.10gb", 2, 0, 0), ("2g.10gb", 1, 0, 0), ("3g.20gb", 1, 0, 0)],
    ),
    "a card that is held whole": ({"cards": [gpu(mig=OFF)]}, [whole()], []),
    "an unhealthy card": ({"cards": [gpu(mig=CUT, healthy=False)]}, [], []),
    "no known card": ({"mig_slices": FrozenMap({"1g.5gb": 3})}, [], [("1g.5gb", 0, 0, 3)]),
    "a worker that is not ready": ({"cards": [gpu(mig=CUT)], "status": WorkerStatus.NOT_READY}, [], []),
}  # fmt: skip


@pytest.mark.parametrize(("host", "held", "expected"), CASES.values(), ids=CASES)
def test_what_is_free(host, held, expected):
    snapshot = Snapshot.load([worker(**host)], [booking("x", *held)] if held else [])

    assert free_slices(dict(snapshot.table.columns), snapshot.pools) == tuple(FreeProfile(*each) for each in expected)
