"""Quick producers beside the slow ones that they replace, on one worker with any cards."""

from hypothesis import strategies as st

from bayplan.cluster.links import wire
from bayplan.placement.cards.choose import choose
from fleets import booking, share, whole
from unit.placement.builders import gpu, seen, subject, table_of, worker

MODELS = ("A100-SXM4-40GB", "H100-SXM5-80GB")

CARD = st.builds(
    lambda size, model, healthy: {"memory_mib": size, "model": model, "healthy": healthy},
    st.sampled_from([40, 80, None]),
    st.sampled_from(MODELS),
    st.booleans(),
)
HELD = st.sampled_from([None, "whole", 10, 40])
CARDS = st.lists(st.tuples(CARD, HELD), max_size=5)


def both(asked, quick, cards, wiring=None):
    """What the quick and the slow producers say of one worker with these cards."""
    gpus = [gpu(number, pcie_gen=4, **card) for number, (card, _) in enumerate(cards)]
    where = worker(cards=gpus, links=None if wiring is None else wire(wiring, gpus))
    taken = [(number, held) for number, (_, held) in enumerate(cards) if held is not None]
    parts = [whole(number) if held == "whole" else share(number, held) for number, held in taken]
    bookings = (booking("other", *parts),)
    rows = seen(asked, where, bookings=bookings)
    columns = table_of(where, bookings=bookings).columns
    rows = rows.having(**{name: columns[name] for name in ("card_share_free_mib", "wholly_free")})
    slow = choose(asked, rows, "tight", subject())
    return quick.produce(asked, rows, None), rows.having(fullness=slow.fullness)
