"""Random profiles, tables and steps: small ranges for ties, single extremes among ordinary values."""

from dataclasses import replace

from hypothesis import strategies as st

from properties.oracle import FILTERS, SCORERS, Plan, Use, World
from properties.worlds import Ask

WEIGHTS = (1.0, 1.0, 0.3, 0.1, -1.0, 0.0, -0.0, 3.0, 100.0, 1e-300, 5e-324, 1e300, -1e300)
USED = (0.0, 0.5, 0.5, 1.0, 2.5, 5e-324, 1e-9, 1e150)

asks = st.builds(Ask, need=st.integers(0, 3), tag=st.integers(0, 2))
nows = st.sampled_from((0.0, 1.0, 7.5))
places = st.integers(0, 30)
labels = st.sampled_from(("a", "ab", "abc", "abcdefg"))
prices = st.sampled_from((0.0, 1.0, 1.5, 3.0, 4.0, 1e300)) | st.floats(0, 4)
frees = st.integers(-2, 6)
useds = st.sampled_from(USED) | st.floats(0, 4)
cards = st.lists(st.integers(0, 4), min_size=3, max_size=3)
shared = st.fixed_dictionaries({"rate": st.sampled_from((0.0, 0.25, 0.4, -1.0, 1e100)), "cap": useds})

row = st.fixed_dictionaries(
    {"zone": st.integers(0, 3), "price": prices, "cordoned": st.booleans(), "label": labels,
     "free": frees, "used": useds, "cards": cards}
)  # fmt: skip
state_values = st.fixed_dictionaries({}, optional={"free": frees, "used": useds, "cards": cards})
static_values = st.fixed_dictionaries(
    {}, optional={"zone": st.integers(0, 3), "price": prices, "cordoned": st.booleans(), "label": labels, "free": frees}
)


def worlds(max_rows=12):
    return st.builds(World, st.lists(row, min_size=0, max_size=max_rows), shared)


SKIPS = ("", "", "", "tag", "clock")


def may_skip(known):
    """Some uses skip by the ask, and those that are asked in every cycle also by the clock."""

    def skipping(use, skips):
        late = known[use.kind] in ("cycle", "table")
        return replace(use, skips=skips if late or skips != "clock" else "")

    return skipping


filters = st.builds(
    may_skip(FILTERS), st.builds(Use, st.sampled_from(sorted(FILTERS)), st.integers(0, 3)), st.sampled_from(SKIPS)
)
every_scorer = st.builds(
    Use,
    st.sampled_from(sorted(SCORERS)),
    st.sampled_from((0.0, 0.25, 0.5, 0.7, 1.5, -0.5)),
    weight=st.sampled_from(WEIGHTS) | st.floats(-10, 10),
    level=st.sampled_from((0, 0, 0, 1, 5)),
    scale=st.sampled_from((1, 1, 100)),
    dtype=st.sampled_from(("float64", "float64", "float32")),
)
scorers = st.builds(may_skip(SCORERS), every_scorer, st.sampled_from(SKIPS))


def plans(*, among=None):
    """Profiles of 0-4 filters and 1-10 scorers, of these dependences only where `among` names some."""

    def allowed(known, uses):
        return uses if among is None else uses.filter(lambda use: known[use.kind] in among)

    return st.builds(
        Plan,
        st.lists(allowed(FILTERS, filters), max_size=4).map(tuple),
        st.lists(allowed(SCORERS, scorers), min_size=1, max_size=10).map(tuple),
    )


writes = st.tuples(places, state_values)
steps = st.one_of(
    st.tuples(st.just("write"), places, state_values),
    st.tuples(st.just("write"), places, static_values),
    st.tuples(st.just("write-many"), st.lists(places, min_size=1, max_size=5), st.just("free"), frees),
    st.tuples(st.just("write-many"), st.lists(places, min_size=1, max_size=5), st.just("zone"), st.integers(0, 3)),
    st.tuples(st.just("refresh"), shared),
    st.tuples(st.just("add"), st.lists(row, min_size=1, max_size=3)),
    st.tuples(st.just("remove"), st.lists(places, min_size=1, max_size=2, unique=True)),
    st.tuples(st.just("swap"), places, row),
    st.tuples(st.just("fork"), st.lists(st.lists(writes, max_size=3), min_size=1, max_size=3)),
    st.tuples(st.just("judge"), st.lists(writes, min_size=1, max_size=4)),
    st.tuples(st.just("look")),
)
budgets = st.sampled_from((1, 2_000, 1 << 20))
journeys = st.lists(st.tuples(steps, asks, nows), min_size=1, max_size=10)
