"""A pantry: plugins, a good configuration of them, and ways to spoil it, for the tests of configurations."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

import pytest

from bayplan.framework.builtins import builtins
from bayplan.framework.config.scheduler_config import read_config
from bayplan.framework.errors import ConfigError, InputError
from bayplan.framework.list_table import ListTable
from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Resolution, Run
from bayplan.framework.registry import Registry
from bayplan.framework.schema import Schema

PANTRY = Schema(static=frozenset({"colour"}), state=frozenset({"waiting"}))


@dataclass(frozen=True)
class Short:
    most: int = 3
    name = "short"
    reads = ("waiting",)

    def __post_init__(self):
        if self.most < 0:
            raise InputError(f"{self.most} is below zero", place="most", next="give 0 or more")

    def mask(self, ask, rows, cycle):
        return [waiting <= self.most for waiting in rows.waiting]


@dataclass(frozen=True)
class Calm:
    per_row: float = 10.0
    shares: dict[str, float] = field(default_factory=dict)
    name = "calm"
    reads = ("waiting",)

    def score(self, ask, rows, cycle):
        return [1 - waiting / self.per_row for waiting in rows.waiting]


class Doubling:
    name = "doubling"
    reads = ("waiting",)
    produces = ("doubled",)

    def produce(self, ask, rows, cycle):
        return {"doubled": [2 * waiting for waiting in rows.waiting]}


class Halving:
    name = "halving"
    reads = ("quadrupled",)
    produces = ("doubled", "quartered")

    def produce(self, ask, rows, cycle):
        return {}


class Fourfold:
    name = "fourfold"
    reads = ("doubled",)
    produces = ("quadrupled",)

    def produce(self, ask, rows, cycle):
        return {"quadrupled": [2 * each for each in rows.doubled]}


class Repainting:
    name = "repainting"
    reads = ()
    produces = ("colour", "shade")

    def produce(self, ask, rows, cycle):
        return {}


class Shady:
    name = "shady"
    reads = ("shade",)

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


class Eager:
    name = "eager"
    reads = ("quadrupled",)

    def score(self, ask, rows, cycle):
        return [1 / (1 + each) for each in rows.quadrupled]


class Typo:
    name = "typo"
    reads = ("wating",)

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


class Careless:
    name = "careless"

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


class Explosive:
    name = "explosive"
    reads = ()

    def __init__(self):
        raise KeyError("fuse")

    def mask(self, ask, rows, cycle):
        return [True] * rows.size


class InTurn:
    name = "in-turn"

    def pick_profiles(self, cycle, profiles, results):
        return [Run(name) for name in profiles if name not in results][:1]

    def process_results(self, cycle, results):
        return Decision(next(iter(results)))


class Shelves:
    name = "shelves"

    def candidates(self, ask, table, cycle):
        return ListTable(state={"waiting": [0, 0]}, keys=["top", "bottom"])


class Keep:
    name = "keep"

    def resolve(self, ask, table, row, cycle):
        return Resolution(table.keys[row], {})


class Hold(Keep):
    name = "hold"


OWN = (Short, Calm, Doubling, Halving, Fourfold, Repainting, Shady, Eager, Typo, Careless, Explosive, InTurn, Shelves,
       Keep, Hold)  # fmt: skip


def registry():
    known = Registry(builtins())
    for plugin in OWN:
        known.register(plugin)
    return known


GOOD = {
    "apiVersion": "bayplan.io/v1alpha1",
    "kind": "SchedulerConfig",
    "scheduler": "pantry",
    "plugins": [
        {"type": "max-score"},
        {"type": "short", "name": "queue", "parameters": {"most": 2}},
        {"type": "calm"},
    ],
    "schedulingProfiles": [
        {
            "name": "default",
            "plugins": [{"pluginRef": "queue"}, {"pluginRef": "calm", "weight": 2}, {"pluginRef": "max-score"}],
        },
    ],
}


def lines_of(document, path=""):
    """The line of each path if the document were written with one field or item a line."""
    found = {}

    def walk(value, path):
        if path:
            found[path] = len(found) + 1
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, f"{path}[{index}]")

    walk(document, path)
    return found


def read(document, **more):
    more.setdefault("columns", {"pantry": PANTRY})
    return read_config(document, registry(), line=lines_of(document).get, **more)


def problems(document, **more):
    with pytest.raises(ConfigError) as caught:
        read(document, **more)
    return caught.value.problems


def changed(change):
    document = deepcopy(GOOD)
    change(document)
    return document


def put(path, value):
    """A change: the value at this path, whose last step is a key, or an index to insert at."""

    def change(document):
        *steps, last = path
        for step in steps:
            document = document[step]
        if isinstance(document, list):
            document.insert(last, value)
        else:
            document[last] = value

    return change


def plugin(entry, *uses):
    """A change: one more plugin, and references to it in the first profile."""

    def change(document):
        document["plugins"].append(entry)
        document["schedulingProfiles"][0]["plugins"] += uses

    return change


def all_of(*changes):
    def change(document):
        for each in changes:
            each(document)

    return change


def removed(path):
    def change(document):
        *steps, last = path
        for step in steps:
            document = document[step]
        del document[last]

    return change


PROFILE = ("schedulingProfiles", 0)


USES = (*PROFILE, "plugins")


SECOND = {"name": "second", "plugins": [{"pluginRef": "max-score"}]}


def nearest_line(document, place):
    """The line of the place, or of the nearest thing around what is missing."""
    lines = lines_of(document)
    while place and place not in lines:
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return lines.get(place)


def assert_one_problem(change, place, message, step):
    """That this change makes one problem, there, and on the line where it stands."""
    document = changed(change)
    (problem,) = problems(document)

    assert problem.place == place
    assert problem.message.startswith(message)
    assert problem.next.startswith(step)
    assert problem.line == nearest_line(document, place)
