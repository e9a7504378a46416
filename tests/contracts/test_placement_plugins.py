"""Every plugin that placement brings keeps its promises, on one fleet of all sorts and for asks of all kinds.

The columns that producers make are made by them, ask by ask, so that no plugin is shown what it would never see.
"""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.mig import MigState
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.taint import Taint
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import WorkerStatus
from bayplan.cluster.workload import Container, Locality
from bayplan.framework.contract_check import assert_contract
from bayplan.framework.cycle import Cycle
from bayplan.framework.registry import kinds_of
from bayplan.framework.table import Table
from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.decision.foresight import Foresight
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.defaults import builtins
from bayplan.placement.filters.host_fit import HostFit
from bayplan.placement.packing.mix import Mix
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.mig_cards import MigCards
from bayplan.placement.producers.one_card import OneCard
from bayplan.placement.producers.one_share import OneShare
from bayplan.placement.producers.slice_keys import SliceKeys
from bayplan.placement.producers.usable_cards import UsableCards
from bayplan.placement.producers.whole_cards import WholeCards
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, profiles, subject, worker
from unit.placement.numa_builders import zoned

MEMORY, VLLM = CardRule(needs_memory=True), CardRule(backend="vllm", needs_memory=True)
EIGHT = [gpu(number, numa=number // 4, pcie_gen=4) for number in range(8)]
SMALL = [gpu(number, model="T4", memory_mib=16_384) for number in range(2)]
CUT = [gpu(number, mig=MigState(enabled=True, reconfigurable=True)) for number in range(2)]
MEASURED = Utilization(
    age_s=5.0, cpu_percent=40.0, cpu_stdev=5.0, ram_percent=20.0, ram_stdev=2.0,
    gpus=(GpuUtilization(0, gpu_percent=30.0, gpu_stdev=3.0, memory_percent=10.0, memory_stdev=1.0),),
)  # fmt: skip
HERE = TopologyPath(region="eu", zone="eu-1")
ROOM = {"cpu_milli": 64_000, "ram_mib": 262_144}
FLEET = (
    worker("mesh", cards=EIGHT, links=wire(Wiring.HYBRID_CUBE_MESH, EIGHT), usd_per_hour=12.0, topology=HERE,
           services=("store",), **ROOM),
    worker("pairs", cards=EIGHT, links=wire(Wiring.NVLINK_PAIRS, EIGHT), spot=True, usd_per_hour=4.0, region="us"),
    worker("small", cards=SMALL, labels={"zone": "a"}, carbon_g_per_kwh=300.0, power_watts=900.0, topology=HERE,
           usd_per_hour=2.0, cached_models=FrozenMap({"llama": 0.9}), utilization=MEASURED, **ROOM),
    worker("cut", cards=CUT, taints=(Taint("gpu", "NoSchedule"),), utilization=MEASURED, **ROOM),
    worker("cpu", cpu_milli=8000, ram_mib=4096, resources=FrozenMap({"rdma/ib": 4, "tpu": 8})),
    worker("loose", cards=[gpu(0, mig=MigState(enabled=True))], mig_slices=FrozenMap({"1g.5gb": 2})),
    worker("mac", cards=[gpu(0, runtime="mps", model="M2 Ultra")], carbon_g_per_kwh=50.0, cpu_milli=4000),
    worker("lost", cards=1, status=WorkerStatus.NOT_READY),
    worker("mixed", cards=[gpu(0), gpu(1, model="T4", memory_mib=None), gpu(2, model=None)], utilization=MEASURED),
    zoned((8, 9999), (8, 9999), name="zoned", cards=[0, 0, 1], **ROOM),
)  # fmt: skip
BOOKINGS = (
    booking("o", whole(0), on="mesh", cpu_milli=4000, ram_mib=1024),
    booking("o", share(1, 20_000), on="pairs", replica=1),
    booking("p", share(0, 8_000, 300), on="small"),
    booking("p", whole(2), on="zoned", replica=1, cpu_milli=2000),
    booking("q", on="cpu", resources=FrozenMap({"rdma/ib": 3})),
)

ASKS = {
    "nothing": ask(),
    "host": ask(cpu_milli=16_000, ram_mib=8192),
    "whole cards": ask(taking=Taking.WHOLE, shapes=(CardShape(2),), cpu_milli=1000),
    "models in order": ask(taking=Taking.WHOLE, shapes=(CardShape(1),), rule=CardRule(models=("T4", "A100"))),
    "joined": ask(taking=Taking.WHOLE, shapes=(CardShape(4),), locality=Locality.NVLINK),
    "fast": ask(taking=Taking.WHOLE, shapes=(CardShape(2),), min_bandwidth_gb_per_s=100.0),
    "memory": ask(taking=Taking.SHARE, shapes=(CardShape(1, 30_000), CardShape(2, 15_000)), rule=MEMORY, copies=3),
    "compute": ask(taking=Taking.SHARE, shapes=(CardShape(1, 0),), compute_milli=250),
    "layers": ask(taking=Taking.LAYERS, layers=Layers(8, Fraction(9000), 500), rule=MEMORY),
    "slices": ask(taking=Taking.SLICES, mig="1g.5gb", shapes=(CardShape(3),)),
    "containers": ask(
        taking=Taking.WHOLE, shapes=(CardShape(2),), cpu_milli=6000, ram_mib=2,
        containers=(Container(3000, 1, 1), Container(3000, 1, 1)),
    ),
    "resources": ask(resources=FrozenMap({"rdma/ib": 1})),
    "labels": ask(selector={"zone": "a"}),
    "named cards": ask(taking=Taking.WHOLE, shapes=(CardShape(1),), gpu_ids=["mesh:cuda:1"]),
    "places": ask(regions=("eu",), preferred_regions=("eu",), near=("store",), model_name="llama"),
    "limits": ask(max_carbon_g_per_kwh=100.0, max_usd_per_hour=5.0, spot=False, ram_mib=1024),
    "an engine": ask(taking=Taking.SHARE, shapes=(CardShape(1, 9000),), rule=VLLM),
    "unknown": ask(taking=Taking.SHARE, shapes=(CardShape(1, 1),), unknown="give weights"),
}  # fmt: skip

SNAPSHOT = Snapshot.load(FLEET, BOOKINGS)
Foresight(SNAPSHOT, Mix({ASKS["whole cards"]: 2.0, ASKS["compute"]: 1.0}))
CHECKED = [each for each in builtins() if {*kinds_of(each)} & {"filter", "scorer", "producer"}]
DECIDING = [each for each in CHECKED if "producer" not in kinds_of(each)]
WHO = subject(avoids=["mesh"])


def made(asked):
    """The columns that producers make for an ask."""
    table = SNAPSHOT.table
    columns = table.gather((*STATIC_NAMES, *STATE_NAMES), np.arange(table.size))
    rows = SimpleNamespace(size=table.size, **columns, **table.shared)
    own = {*CardFit.produces, *ChosenCards.produces}
    chain = (CardFit(), ChosenCards()) if asked.taking is not Taking.SLICES else (SliceKeys(), MigCards(own))
    found = {}
    for producer in (UsableCards(), *chain):
        found.update(producer.produce(asked, rows, None))
        vars(rows).update(found)
    return found


def shown(columns, but=()):
    """The fleet with these columns, but for some."""
    table = SNAPSHOT.table
    static, state = ({name: table.columns[name] for name in names} for names in (STATIC_NAMES, STATE_NAMES))
    more = {name: column for name, column in columns.items() if name not in but}
    return Table(static=static, state={**state, **more}, constants=dict(table.shared), keys=table.keys)


@pytest.fixture(scope="module")
def fleets():
    """By ask the fleet, with all those columns."""
    return {asked: made(asked) for asked in ASKS.values()}


def for_(plugin):
    """The asks that it is shown: instances are chosen by a producer of their own."""
    by_cards = plugin in (CardFit, ChosenCards)
    return [asked for asked in ASKS.values() if not (by_cards and asked.taking is Taking.SLICES)]


@pytest.mark.parametrize("plugin", CHECKED, ids=[each.name for each in CHECKED])
def test_contract(plugin, fleets):
    for asked in for_(plugin):
        table = shown(fleets[asked], getattr(plugin, "produces", ()))
        assert_contract(plugin(), table, [asked], subject=WHO, subsets=6)


ONE_SHARE, TWO_CARDS = (CardShape(1, 9_000),), (CardShape(2),)
ONE_INSTANCE = ask(taking=Taking.SLICES, mig="1g.5gb", shapes=(CardShape(1),), ram_mib=512)
TWINS = {
    "one card": (OneCard(), ask(taking=Taking.SHARE, shapes=ONE_SHARE, rule=MEMORY, ram_mib=1024)),
    "one card, for compute too": (OneCard(), ask(taking=Taking.SHARE, shapes=ONE_SHARE, rule=MEMORY, cpu_milli=9)),
    "one share": (OneShare(), ask(taking=Taking.SHARE, shapes=(CardShape(1, 0),), compute_milli=250)),
    "whole cards": (WholeCards(), ask(taking=Taking.WHOLE, shapes=TWO_CARDS, cpu_milli=1000)),
    "one whole card, near": (WholeCards(), ask(taking=Taking.WHOLE, shapes=(CardShape(1),), locality=Locality.NVLINK)),
    "an instance": (MigCards(("fit_order", "fullness")), ONE_INSTANCE),
    "an instance that nobody has": (
        MigCards(("fit_order", "fullness")), ask(taking=Taking.SLICES, mig="9g.99gb", shapes=(CardShape(1),)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "asked"), TWINS.values(), ids=TWINS)
def test_producers_with_twins(plugin, asked):
    """Those of the quick variants, which no configuration names."""
    table = shown(made(asked), plugin.produces)

    assert plugin.twin(asked, table.shared) is not None
    assert_contract(plugin, table, [asked])


NO_TWINS = {
    "linked cards": (WholeCards(), ASKS["joined"]),
    "several instances": (MigCards(("fit_order", "fullness")), ASKS["slices"]),
    "cards of instances": (MigCards(("chosen", "fit_order", "fullness")), ONE_INSTANCE),
    "layers in RAM": (HostFit(), ask(taking=Taking.LAYERS, layers=Layers(8, Fraction(9000), 500, partial=True))),
}


@pytest.mark.parametrize(("plugin", "asked"), NO_TWINS.values(), ids=NO_TWINS)
def test_asks_without_a_scalar_form(plugin, asked):
    assert plugin.twin(asked, SNAPSHOT.table.shared) is None


@pytest.mark.parametrize("asked", [asked for _, asked in TWINS.values()], ids=TWINS)
def test_the_strategy_pack_redoes_changed_workers_in_a_loop(asked):
    """Every plugin that decides has a twin, and each can be written."""
    unzoned = Snapshot.load([each for each in FLEET if each.numa is None], [b for b in BOOKINGS if b.worker != "zoned"])
    prepared = Strategies(unzoned, profiles()).scheduler("pack").evaluator(variant_of("pack", asked))
    evaluator = prepared.active(asked, Cycle(subject(), asked))
    kept = evaluator.sync(asked)

    assert evaluator._loops.possible
    assert evaluator._loops.loop(kept, asked, unzoned.table) is not None


@pytest.mark.parametrize("plugin", DECIDING, ids=[each.name for each in DECIDING])
def test_the_fleet_makes_a_difference_to_it(plugin, fleets):
    """Else the contract would say little."""
    answers = [_answer(plugin(), asked, shown(fleets[asked])) for asked in for_(plugin)]

    assert any(len(set(each)) > 1 for each in answers)


def _answer(plugin, asked, table):
    columns = {**table.columns, **table.shared}
    rows = SimpleNamespace(size=table.size, **{name: columns[name] for name in plugin.reads})
    ask_it = plugin.mask if "filter" in kinds_of(plugin) else plugin.score
    return ask_it(asked, rows, Cycle(WHO, asked)).tolist()
