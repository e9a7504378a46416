"""What a picker picks among endpoints with given totals, with many seeds."""

from collections import Counter

from bayplan.framework.adapter import scorer_of
from bayplan.framework.list_table import ListTable
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.routing.handlers.single_profile_handler import SingleProfileHandler


@scorer_of(reads=("worth",), scale=10)
def worth(ask, row):
    return row.worth


def picks(picker, totals):
    """How often each list of endpoints was picked in 300 decisions."""
    table = ListTable(keys=["a", "b", "c", "d"][: len(totals)], state={"worth": totals})
    scheduler = Scheduler([Profile("p", picker, scorers=(worth,))], SingleProfileHandler(), table=table)
    outcomes = (scheduler.schedule("r", "r", seed=seed) for seed in range(300))
    return Counter(tuple(pick.key for pick in outcome.picked) for outcome in outcomes)
