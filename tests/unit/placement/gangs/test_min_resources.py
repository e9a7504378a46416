"""What a gang wants to see free in the cluster as a sum."""

import pytest

from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.gangs.min_resources import Shortage, missing
from fleets import booking, share, whole
from unit.placement.builders import planner, role, sized, table_of, worker

A = worker("a", cards=2, cpu_milli=4000, ram_mib=1000)
B = worker("b", cards=1, cpu_milli=4000, ram_mib=1000)
SILENT = worker("s", cards=1)
CORDONED = worker("c", cards=8, cpu_milli=64_000, ram_mib=64_000, status=WorkerStatus.CORDONED)

SHORT = {
    "exactly": (MinResources(8000, 2000, 3), (), []),
    "CPU": (MinResources(10_000, 2000, 3), (), [Shortage("cpu", 10_000, 8000)]),
    "RAM": (MinResources(ram_mib=2001), (), [Shortage("ram", 2001, 2000)]),
    "cards": (MinResources(cards=4), (), [Shortage("cards", 4, 3)]),
    "all": (MinResources(9000, 2001, 4), (), [
        Shortage("cpu", 9000, 8000), Shortage("ram", 2001, 2000), Shortage("cards", 4, 3)]),
    "what others hold": (MinResources(8000, 2000, 3), (booking("o", whole(0), cpu_milli=500),), [
        Shortage("cpu", 8000, 7500), Shortage("cards", 3, 2)]),
    "a shared card is not whole": (MinResources(cards=3), (booking("o", share(0, 10)),), [
        Shortage("cards", 3, 2)]),
}  # fmt: skip


@pytest.mark.parametrize(("least", "bookings", "short"), SHORT.values(), ids=SHORT)
def test_what_is_short(least, bookings, short):
    assert missing(table_of(A, B, CORDONED, bookings=bookings), least) == short


def test_its_own_bookings_are_given_back():
    own = (booking("mine", whole(0), cpu_milli=500, ram_mib=10),)
    table = table_of(A, B, bookings=own)

    assert missing(table, MinResources(8000, 2000, 3), own) == []


MESSAGES = {
    "cores": (
        Shortage("cpu", 10_500, 8000),
        "minResources needs 10.5 cores of CPU free in the cluster, 8 cores are free",
    ),
    "RAM": (Shortage("ram", 2, 1), "minResources needs 2 MiB of RAM free in the cluster, 1 MiB are free"),
    "not known": (
        Shortage("cpu", 2000, 0, 3),
        "minResources needs 2 cores of CPU free in the cluster, 0 cores are free; how much 3 workers have is not known",
    ),
}


@pytest.mark.parametrize(("short", "message"), MESSAGES.values(), ids=MESSAGES)
def test_message(short, message):
    assert short.message == message


def test_workers_that_do_not_tell_have_none():
    assert missing(table_of(SILENT), MinResources(1)) == [Shortage("cpu", 1, 0, 1)]


def gang(cores, replicas=2):
    least = Gang(1, min_resources=MinResources(cores * 1000))
    return sized(role(cpu_milli=1000), replicas=replicas, gang=least)


PLANS = {
    "enough": (8, (), "fits", 2, []),
    "never": (9, (), "infeasible", 0, ["gang-short"]),
    "while others are there": (8, (booking("o", on="a", cpu_milli=1000),), "waiting", 0, ["gang-short"]),
    "with what it holds itself": (8, (booking("mine", on="a", cpu_milli=1000),), "fits", 1, []),
}


@pytest.mark.parametrize(("cores", "bookings", "verdict", "placed", "codes"), PLANS.values(), ids=PLANS)
def test_plans(cores, bookings, verdict, placed, codes):
    plan = planner(A, B, bookings=bookings).plan(gang(cores))

    assert (plan.verdict, len(plan.replicas)) == (verdict, placed)
    assert [each.code for each in plan.refused.summaries()] == codes
    assert plan.blocked == (("mine/0", "mine/1") if codes else ())
