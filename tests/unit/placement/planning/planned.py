"""What tests of the planner share."""

from bayplan.placement.planning.plan import Verdict
from fleets import booking, whole
from unit.placement.builders import gpu, role, worker

FITS, PARTLY, WAITING, INFEASIBLE = Verdict


def server(name, *sizes, **others):
    return worker(name, cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)], **others)


CARD = role(gpus={"count": 1})


TWO, FOUR = server("a", 80, 80), server("a", 80, 80, 80, 80)


def theirs(*cards, on="a"):
    return booking("theirs", *map(whole, cards), on=on)
