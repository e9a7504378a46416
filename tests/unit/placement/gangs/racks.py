"""Workers in racks, gangs and what becomes of them, in a few words."""

from bayplan.cluster.gang import Gang
from bayplan.cluster.topology import Level, TopologyPath
from bayplan.placement.gangs.gang_planner import GangPlanner
from bayplan.placement.gangs.trial import NO_LIMITS, Trial
from unit.placement.builders import planned_cluster, role, sized, worker

CARD = role(gpus={"count": 1})
PAIR = role(gpus={"count": 2})


def rack(name, *cards, **others):
    """Workers of a rack, called after it, with so many cards each."""
    return [
        worker(f"{name}-{number}", cards=each, topology=TopologyPath(rack=name), **others)
        for number, each in enumerate(cards)
    ]


def share(mib, cards=1, **others):
    return role(gpus={"count": cards, "memory_mib": mib, **others})


def gang_of(*roles, minimum=None, within=None, replicas=1, **others):
    """A gang of one shape, or of (shape, number)."""
    gang = Gang(minimum, Level.RACK if within else None)
    if len(roles) == 1 and not isinstance(roles[0], tuple):
        return sized(roles[0], replicas=replicas, gang=gang, **others)
    return sized(*[(f"r{n}", number, shape) for n, (shape, number) in enumerate(roles)], gang=gang, **others)


def gang_planner(asked, *workers, bookings=(), **others):
    """One workload on workers of which others hold these bookings."""
    held = [booking for booking in bookings if booking.workload == asked.workload.name]
    desired, minimum = asked.workload.desired - len(held), max(1, asked.workload.minimum - len(held))
    return GangPlanner(planned_cluster(*workers, bookings=bookings), asked, held, desired, minimum, **others)


def trial_of(asked, *workers, bookings=(), limits=NO_LIMITS):
    held = [booking for booking in bookings if booking.workload == asked.workload.name]
    return Trial(planned_cluster(*workers, bookings=bookings), asked, held, 1, reasons=False, limits=limits)


def by_worker(placed):
    """How many replicas stand on each worker."""
    found = {}
    for replica in placed:
        for booking in replica.placed.bookings:
            found[booking.worker] = found.get(booking.worker, 0) + 1
    return found


def by_rack(placed):
    """The same by rack."""
    found = {}
    for name, number in by_worker(placed).items():
        rack_name = name.rsplit("-", 1)[0]
        found[rack_name] = found.get(rack_name, 0) + number
    return found
