"""Models on workers, and the flags that their engines get, for tests of each engine."""

from dataclasses import replace

from bayplan.cluster.model import ModelSpec
from bayplan.placement.planning.engine_args.arguments import engine_args
from unit.placement.builders import gpu, need, planner, role, sized, worker

NUMBERS = {"heads": 32, "kv_heads": 8, "layers": 36}
NEED = need(
    15_623, kv_mib=2_048, overhead_mib=1_024, context=8_192, concurrency=4, sequences=4, kv_given=True, **NUMBERS
)
MODEL = ModelSpec(concurrency=4)
ADA, QUAD = 24_576, 16_384
"""The memory of cards, in MiB."""


def server(*sizes, name="a", **others):
    cards = [gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)]
    return worker(name, cards=cards, ram_mib=100_000, **others)


def args(what, *workers, bookings=(), replicas=1):
    """The flags of the last replica."""
    plan = planner(*workers, bookings=bookings).plan(sized(what, replicas=replicas))
    return [
        engine_args(replica.role, replica.placed, cards)
        for replica, cards in zip(plan.replicas, plan.cards_found or ((),) * len(plan.replicas), strict=True)
    ][-1]


def model(engine, *flags, of=NEED, spec=MODEL, **others):
    return role(of, engine, *flags, model=spec, **others)


def follows(**others):
    """A model whose cache follows from its context."""
    return replace(NEED, kv_given=False, **others)
