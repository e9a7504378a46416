import copy

import pytest

from bayplan.framework.errors import PluginError
from bayplan.framework.rows import Rows, view, view_type


def rows(**columns):
    return view(view_type("mine", ("a", "b")), {"a": [1], "b": [2], "c": [3], **columns}, 1)


def test_shows_what_was_declared():
    shown = rows()

    assert (shown.a, shown.b, shown.size, len(shown)) == ([1], [2], 1, 1)
    assert isinstance(shown, Rows)
    assert shown.reads == ("a", "b")


def test_an_undeclared_read_names_the_plugin_and_the_column():
    with pytest.raises(PluginError) as caught:
        _ = rows().c

    assert caught.value.plugin == "mine"
    assert caught.value.message == "reads column 'c', which it did not declare"
    assert caught.value.next == "add 'c' to its `reads`, now ('a', 'b')"


def test_python_itself_may_look_for_special_names():
    assert not hasattr(rows(), "__array__")
    assert copy.copy(rows()).a == [1]


def test_replace_is_the_same_rows_in_another_state():
    shown = rows()
    other = shown.replace(b=[9])

    assert (other.a, other.b, other.size) == ([1], [9], 1)
    assert shown.b == [2]
    assert type(other) is type(shown)


def test_replace_knows_only_what_is_read():
    with pytest.raises(PluginError, match=r"plugin mine: cannot replace \['c', 'd'\]: it does not read them"):
        rows().replace(a=[0], d=1, c=2)


def test_a_plugin_that_reads_nothing_still_knows_how_many():
    assert view(view_type("none", ()), {}, 4).size == 4
