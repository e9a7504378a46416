"""Workers and what they offer to members of one role, for tests of sums."""

from bayplan.placement.gangs.member_sums import Sum, WorkerOffer

NOTHING = Sum((0,))


def offer(row, room, price=0.0, *, spot=False):
    """A worker for members of one role."""
    return WorkerOffer(row, [(number,) for number in range(room + 1)], price, spot)
