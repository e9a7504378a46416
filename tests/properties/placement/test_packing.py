"""Looking ahead, whatever the fleet and the mix: scores in range, both kernels alike, names without a say."""

from types import SimpleNamespace

from hypothesis import given, settings, strategies as st

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.gains import gains, plain_gains
from bayplan.placement.packing.mix import Mix
from bayplan.placement.packing.outlook import look_out
from bayplan.placement.packing.room_left import READS
from bayplan.placement.scorers.headroom import Headroom
from unit.placement.builders import ask, gpu, profiles, subject, worker
from unit.placement.scorers.packed import part, percent, wholes

MODELS = ("A100-SXM4-40GB", "T4")
ASKS = st.one_of(
    st.builds(wholes, st.sampled_from([1, 1, 2, 4, 8]), st.integers(0, 16)),
    st.builds(percent, st.integers(1, 99), st.integers(0, 8)),
    st.builds(part, st.integers(1, 40_960)),
    st.builds(lambda cores: ask(cpu_milli=cores * 1000), st.integers(0, 32)),
)
MIXES = st.dictionaries(ASKS, st.integers(1, 20), min_size=1, max_size=5)
MACHINES = st.tuples(st.sampled_from(MODELS), st.integers(0, 8), st.one_of(st.none(), st.integers(1, 96)))


def fleet(machines, prefix="w"):
    return [
        worker(
            f"{prefix}{number}",
            cards=[gpu(place, model=model) for place in range(cards)],
            cpu_milli=None if cores is None else cores * 1000,
        )
        for number, (model, cards, cores) in enumerate(machines)
    ]


def rows_of(snapshot):
    table = snapshot.table
    named = {name: table.columns[name] for name in (*READS, "uid_hash")}
    return SimpleNamespace(size=table.size, outlook=table.shared["outlook"], **named)


@settings(max_examples=30)
@given(st.lists(MACHINES, min_size=1, max_size=6), MIXES, ASKS, st.integers(0, 3))
def test_both_kernels_agree_and_scores_are_in_range(machines, mix, asked, epoch):
    snapshot = Snapshot.load(fleet(machines))
    outlook = look_out(Mix(mix), snapshot.table, epoch)
    snapshot.table.refresh(outlook=outlook)
    rows = rows_of(snapshot)
    scores = Headroom().score(asked, rows, None)

    assert ((scores >= 0.0) & (scores <= 1.0)).all()
    if outlook is not None:
        demand = demand_of(asked)
        assert gains(outlook, demand, rows).tolist() == (plain_gains(outlook, demand, rows) / outlook.unit).tolist()


def given_to(workers, arriving, mix):
    """The kinds of machines that the workloads are given, one after the other."""
    snapshot = Snapshot.load(workers)
    placer = Strategies(snapshot, profiles(), mix=Mix(mix))
    found = []
    for number, asked in enumerate(arriving):
        outcome = placer.place(subject("job", replica=number), "pack", (asked,), reasons=False)
        for pick in outcome.picked:
            on = snapshot.workers[pick.row]
            found.append((len(on.gpus), on.gpus[0].model if on.gpus else "", on.cpu_milli))
            for row, values in pick.resolution.writes.items():
                snapshot.table.write(row, values)
    return found


@settings(max_examples=15)
@given(st.lists(MACHINES, min_size=1, max_size=4, unique=True), st.lists(ASKS, min_size=1, max_size=4), MIXES)
def test_renaming_workers_changes_no_machine(machines, arriving, mix):
    """As long as no two of them are equal to a workload, and equals would be taken by a hash of the name."""
    first, second = (given_to(fleet(machines, prefix), arriving[:1], mix) for prefix in ("w", "another-"))
    scores = []
    for prefix in ("w", "another-"):
        snapshot = Snapshot.load(fleet(machines, prefix))
        snapshot.table.refresh(outlook=look_out(Mix(mix), snapshot.table))
        found = Headroom().score(arriving[0], rows_of(snapshot), None)
        scores.append({name[len(prefix) :]: found[row].item() for name, row in snapshot.rows.items()})

    assert scores[0] == scores[1]
    if len(set(scores[0].values())) == len(scores[0]):
        assert first == second
