"""Groups at work: a model on several replicas of one server."""

from dataclasses import dataclass

import numpy as np
import pytest

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Depends, Want
from bayplan.framework.profile import Profile, Weighted
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table


@dataclass(frozen=True)
class Model:
    memory: int
    requirements: frozenset[str] = frozenset()
    server: str | None = None


class Sharing:
    """Without a pin shared servers only; with one, that server."""

    name, reads = "sharing", ("server", "shared_server")

    def mask(self, ask, rows, cycle):
        return rows.shared_server if ask.server is None else rows.server == ask.server


class Capable:
    name, reads = "capable", ("capabilities",)

    def mask(self, ask, rows, cycle):
        return np.array([ask.requirements <= each for each in rows.capabilities], np.bool_)


class Memory:
    """Enough memory, or the model is there already."""

    name, reads, depends = "memory", ("key", "free"), Depends.CYCLE

    def mask(self, ask, rows, cycle):
        return (rows.free >= ask.memory) | np.isin(rows.key, list(cycle.subject.loaded))


class Draining:
    name, reads = "not-draining", ("draining",)

    def mask(self, ask, rows, cycle):
        return ~rows.draining


class CurrentServer:
    name, reads, depends = "current-server", ("server",), Depends.CYCLE

    def score(self, ask, rows, cycle):
        return (rows.server == cycle.subject.server) * 1.0


class Loaded:
    name, reads, depends = "loaded", ("key",), Depends.CYCLE

    def score(self, ask, rows, cycle):
        return np.isin(rows.key, list(cycle.subject.loaded)) * 1.0


class FreeMemory:
    name, reads = "free-memory", ("free",)

    def score(self, ask, rows, cycle):
        return rows.free / 100


@dataclass(frozen=True)
class Subject:
    server: str = ""
    loaded: frozenset[str] = frozenset()


def servers(**free):
    """Replicas of servers, each with so much memory free; "x" drains."""
    keys = [f"{server}-{place}" for server, each in free.items() for place in range(len(each))]
    return Table(
        static={
            "key": keys,
            "server": [key[0] for key in keys],
            "shared_server": [key[0] != "p" for key in keys],
            "capabilities": np.array([frozenset({"sklearn"} if key[0] != "t" else {"triton"}) for key in keys], object),
        },
        state={
            "free": [0 if each == "x" else each for many in free.values() for each in many],
            "draining": [each == "x" for many in free.values() for each in many],
        },
        keys=keys,
    )


SEED_004 = {  # free memory of replicas, model, replicas wanted, subject, replicas chosen
    "input order": ({"a": [5, 9], "b": [50, 60]}, Model(1), Want(1), Subject(), ["a-1"]),
    "most memory within the server": ({"a": [5, 9, 7]}, Model(1), Want(2), Subject(), ["a-1", "a-2"]),
    "the current server first": ({"a": [5], "b": [5]}, Model(1), Want(1), Subject("b"), ["b-0"]),
    "full elsewhere beats partial here": ({"a": [5, 5], "b": [5]}, Model(1), Want(2, 1), Subject("b"), ["a-0", "a-1"]),
    "partial, if none is full": ({"a": [5, 0], "b": [5, 0]}, Model(1), Want(2, 1), Subject("b"), ["b-0"]),
    "not even partial": ({"a": [0, 0], "b": [5, 0]}, Model(9), Want(2, 1), Subject(), []),
    "loaded replicas are kept without memory": (
        {"a": [0, 50]}, Model(9), Want(2), Subject("a", frozenset({"a-0"})), ["a-0", "a-1"],
    ),
    "a draining replica is not used": ({"a": ["x", 50]}, Model(0), Want(2, 1), Subject("a"), ["a-1"]),
    "a pinned model never moves": ({"a": [50], "p": [5]}, Model(1, server="p"), Want(1), Subject(), ["p-0"]),
    "a private server is for pinned models": ({"p": [50], "a": [5]}, Model(1), Want(1), Subject(), ["a-0"]),
    "requirements": ({"a": [50], "t": [5]}, Model(1, frozenset({"triton"})), Want(1), Subject(), ["t-0"]),
    "no replicas": ({"a": [0]}, Model(9), Want(0), Subject("a"), []),
}  # fmt: skip


@pytest.mark.parametrize(("free", "model", "want", "subject", "chosen"), SEED_004.values(), ids=SEED_004)
def test_models_are_put_on_replicas_of_one_server(free, model, want, subject, chosen):
    want = Want(want.desired, want.minimum, "server", (CurrentServer(),))
    profile = Profile(
        "serving",
        MaxScore(),
        filters=(Sharing(), Capable(), Memory(), Draining()),
        scorers=(Weighted(Loaded(), level=0), Weighted(FreeMemory(), level=1)),
    )

    outcome = Scheduler([profile], SingleProfile(), table=servers(**free)).schedule(subject, model, want=want)

    assert [pick.key for pick in outcome.picked] == chosen
    assert outcome.ok is bool(chosen or not want.desired)
