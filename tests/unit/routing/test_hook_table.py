import pytest

from bayplan.framework.errors import InputError, PluginError
from bayplan.routing.hook_table import HookTable, tell


class Listener:
    """Notes what it hears."""

    def __init__(self, name, notes):
        self.name, self.notes = name, notes

    def sent(self, *arguments):
        self.notes.append((self.name, *arguments))

    def request_headers(self, request, sent):
        return {"x-who": self.name, f"x-{self.name}": "1"}

    def response_headers(self, request, sent):
        return {"x-back": self.name}

    def warnings(self, table):
        return [f"{self.name} looks at {table}"]


class Deaf:
    """Has no method around requests."""


def test_methods_are_called_in_order():
    notes = []
    table = HookTable({"one": Listener("one", notes), "deaf": Deaf(), "two": Listener("two", notes)})

    assert tell(table.sent, "r", 3) == ()
    assert notes == [("one", "r", 3), ("two", "r", 3)]
    assert table.request_headers(None, None) == {"x-who": "two", "x-one": "1", "x-two": "1"}
    assert table.response_headers(None, None) == {"x-back": "two"}
    assert table.warnings("t") == ("one looks at t", "two looks at t")
    assert (table.has_headers, table.first_token, table.completed) == (True, (), ())
    assert HookTable({"deaf": Deaf()}).has_headers is False


def test_a_broken_one_does_not_keep_the_others_from_hearing():
    notes = []
    broken, other = Listener("broken", notes), Listener("other", notes)
    broken.sent = broken.request_headers = lambda *_: 1 / 0
    table = HookTable({"broken": broken, "other": other})

    assert tell(table.sent, "r") == ("plugin broken: raised ZeroDivisionError in <lambda>: division by zero",)
    assert notes == [("other", "r")]
    with pytest.raises(PluginError, match="plugin broken: raised ZeroDivisionError"):
        table.request_headers(None, None)


def test_errors_of_our_own_are_told_as_they_are():
    broken = Listener("broken", [])

    def refuse(*_):
        raise InputError("is wrong", place="here")

    broken.sent = refuse
    assert tell(HookTable({"broken": broken}).sent) == ("here: is wrong",)


class Learning:
    """Has something to hand on."""

    learnt = None

    def take_over(self, former):
        self.learnt = former.learnt


class Other(Learning):
    """Another type."""


def test_what_was_learnt_is_handed_on_by_name_and_type():
    before = {"same": Learning(), "renamed": Learning(), "changed": Other(), "deaf": Deaf()}
    for name, plugin in before.items():
        plugin.learnt = name
    after = {"same": Learning(), "other": Learning(), "changed": Learning(), "deaf": Deaf()}

    assert HookTable(after).take_over(HookTable(before)) == {"same"}
    assert [plugin.learnt for plugin in list(after.values())[:3]] == ["same", None, None]
