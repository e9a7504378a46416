"""Which plugins a registry knows, how it names what it does not, and what installed packages add."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest

from bayplan.framework.adapter import LiftedFilter, filter_of
from bayplan.framework.builtins import builtins
from bayplan.framework.errors import InputError, UnknownPluginError
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Depends
from bayplan.framework.registry import Registry, kinds_of


@dataclass(frozen=True)
class Ripe:
    """Keeps what is ripe.

    Ripeness is a matter of days,
    not of colour.

    Parameters:
        days: how long it hung.
    """

    days: int = 3

    name = "ripe"
    aliases = ("ripe-filter",)
    reads = ("age_days",)
    depends = Depends.CYCLE

    def mask(self, ask, rows, cycle):
        return [age >= self.days for age in rows.age_days]

    def score(self, ask, rows, cycle):
        return [1.0] * rows.size


def sour(most: float) -> Ripe:
    """Makes a filter of sourness."""
    return Ripe(int(most))


def untold(most):
    return Ripe(most)


KINDS = {
    "mask": "filter", "score": "scorer", "produce": "producer", "pick": "picker", "pick_profiles": "handler",
    "candidates": "source", "resolve": "resolver",
}  # fmt: skip


@pytest.mark.parametrize(("method", "kind"), KINDS.items())
def test_a_kind_is_a_method(method, kind):
    assert kinds_of(type("Plugin", (), {method: lambda self: None})) == (kind,)


def test_a_plugin_may_be_several_things_and_an_attribute_is_no_method():
    assert kinds_of(Ripe) == ("filter", "scorer")
    assert kinds_of(type("Plugin", (), {"mask": True})) == ()


def test_a_plugin_may_be_of_a_kind_that_only_its_scheduler_knows():
    assert kinds_of(type("Plugin", (), {"kinds": ("parser",)})) == ("parser",)
    assert kinds_of(type("Plugin", (), {"kinds": ("detector", "filter"), "mask": lambda self: None})) == (
        "filter",
        "detector",
    )


def test_registries_are_joined_and_names_come_before_aliases():
    other = Registry([type("Random", (), {"name": "random-picker", "aliases": ("random",), "pick": lambda self: None})])
    joined = Registry(builtins()).joined(other)

    assert [joined.find(name).name for name in ("random", "random-picker", "max-score-picker")] == [
        "random",
        "random-picker",
        "max-score",
    ]
    assert len(joined) == len(builtins()) + 1


def test_the_frameworks_own():
    known = Registry(builtins())

    assert [(each.name, each.kinds, each.aliases, each.origin) for each in known] == [
        ("max-score", ("picker",), ("max-score-picker",), "built-in"),
        ("random", ("picker",), ("random-picker",), "built-in"),
        ("sample", ("filter",), (), "built-in"),
        ("single-profile", ("handler",), ("single-profile-handler",), "built-in"),
        ("subset", ("filter",), (), "built-in"),
        ("weighted-random", ("picker",), ("weighted-random-picker",), "built-in"),
    ]
    assert len(known) == 6


def test_a_name_and_an_alias_find_the_same():
    known = Registry(builtins())

    assert known.find("max-score-picker") is known.find("max-score")
    assert "max-score-picker" in known
    assert "max" not in known
    assert known.find("max-score").make(ties="seeded") == MaxScore("seeded")


def test_what_a_class_says_of_itself():
    known = Registry()

    assert known.register(Ripe) is Ripe
    ripe = known.find("ripe-filter")
    assert (ripe.name, ripe.origin, ripe.names) == ("ripe", "code", ("ripe", "ripe-filter"))
    assert ripe.summary == "Keeps what is ripe."
    assert ripe.description == "Keeps what is ripe.\n\nRipeness is a matter of days,\nnot of colour."
    assert (ripe.reads, ripe.produces, ripe.depends) == (("age_days",), (), Depends.CYCLE)
    assert [(each.key, each.text) for each in ripe.parameters.fields] == [("days", "how long it hung.")]


def test_another_name_leaves_the_aliases_behind():
    known = Registry([Ripe])
    known.register(Ripe, "riper")

    assert known.find("riper").aliases == ()


def test_a_function_makes_plugins():
    known = Registry()
    known.register(sour)
    found = known.find("sour")

    assert (found.kinds, found.summary, found.reads) == (
        ("filter", "scorer"),
        "Makes a filter of sourness.",
        ("age_days",),
    )
    assert found.make(most=4.0) == Ripe(4)


def test_a_ready_made_object_is_its_own_factory():
    known = Registry()
    fresh = known.register(filter_of(lambda ask, row: True, "fresh", reads=("age_days",)))

    assert known.find("fresh").make() is fresh
    assert known.find("fresh").parameters.fields == ()
    assert isinstance(fresh, LiftedFilter)


def test_reads_that_depend_on_parameters_are_not_known():
    class Chosen:
        name = "chosen"

        def __init__(self, column: str):
            self.column = column

        @property
        def reads(self):
            return (self.column,)

        def mask(self, ask, rows, cycle):
            return getattr(rows, self.column)

    assert Registry([Chosen]).find("chosen").reads is None


REFUSED = {
    "no methods":      (type("Nothing", (), {"name": "nothing"}), None, "has none of the methods of a plugin; write"),
    "bad name":        (Ripe, "Ripe Fruit", "plugin Ripe Fruit: 'Ripe Fruit' is no name for a plugin; use kebab-case"),
    "untold function": (untold, None, "function untold: does not say which plugin it makes; annotate what it returns"),
    "same name":       (Ripe, "random", "'random' is already the name of a plugin (built-in); give it another name"),
    "same alias":      (Ripe, "random-picker", "'random-picker' is already the name of a plugin (built-in)"),
}  # fmt: skip


@pytest.mark.parametrize(("factory", "name", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_registered(factory, name, message):
    known = Registry(builtins())

    with pytest.raises(InputError) as caught:
        known.register(factory, name)

    assert message in str(caught.value)
    assert len(known) == 6


def test_a_refused_plugin_leaves_no_alias():
    known = Registry([Ripe])

    class Other(Ripe):
        name = "other"
        aliases = ("fine", "ripe")

    with pytest.raises(InputError):
        known.register(Other)
    assert "fine" not in known


UNKNOWN = {
    "near":  ("max-scor", "no plugin is called 'max-scor'; did you mean 'max-score'?"),
    "alias": ("randompicker", "no plugin is called 'randompicker'; did you mean 'random-picker'?"),
    "far":   ("zzz", "no plugin is called 'zzz'; there are: max-score, max-score-picker, random"),
    "case":  ("Sample", "no plugin is called 'Sample'; did you mean 'sample'?"),
    "long":  ("s" * 100, f"no plugin is called '{'s' * 60}…'; there are: max-score"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "message"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_name(name, message):
    with pytest.raises(UnknownPluginError) as caught:
        Registry(builtins()).find(name)

    assert str(caught.value).startswith(message)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that brings plugins, some of them broken."""
    (tmp_path / "orchard.py").write_text(
        "class Ripe:\n    '''Keeps what is ripe.'''\n    reads = ()\n    def mask(self, ask, rows, cycle): ...\n"
        "class Nothing:\n    pass\n"
    )
    (tmp_path / "rotten.py").write_text("raise SystemExit('worms')\n")
    info = tmp_path / "orchard-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[bayplan.plugins]\nripe = orchard:Ripe\nempty = orchard:Nothing\nrotten = rotten:Worm\n"
        "lost = orchard:Lost\nrandom = orchard:Ripe\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in ("orchard", "rotten"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("installed")
def test_installed_packages_add_plugins_and_broken_ones_are_reported():
    known = Registry(builtins())
    broken = known.load_entry_points()

    assert known.find("ripe").origin == "orchard 1.2"
    assert [(each.place, each.message) for each in broken] == [
        ("plugin empty of orchard 1.2", "<class 'orchard.Nothing'> has none of the methods of a plugin"),
        ("plugin lost of orchard 1.2", "AttributeError: module 'orchard' has no attribute 'Lost'"),
        ("plugin random of orchard 1.2", "'random' is already the name of a plugin (built-in)"),
        ("plugin rotten of orchard 1.2", "SystemExit: worms"),
    ]
    assert known.find("random").origin == "built-in"


@pytest.mark.usefixtures("installed")
def test_entry_points_are_looked_up_once_and_only_when_asked():
    known = Registry(builtins())

    assert "ripe" not in known
    assert known.load_entry_points() == known.load_entry_points()
    assert "ripe" in known


@pytest.mark.usefixtures("installed")
def test_a_plugin_that_could_not_be_loaded_says_why():
    known = Registry()
    known.load_entry_points()

    with pytest.raises(
        UnknownPluginError, match=r"'rotten' could not be loaded; plugin rotten of orchard 1.2: .*worms"
    ):
        known.find("rotten")
