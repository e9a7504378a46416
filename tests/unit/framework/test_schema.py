import pytest

from bayplan.framework.errors import InputError
from bayplan.framework.plugins import Depends
from bayplan.framework.schema import Schema, is_name

SCHEMA = Schema(frozenset({"zone"}), frozenset({"free"}), frozenset({"rate"}))

DEPENDS = {"zone": Depends.STATIC, "free": Depends.ROW, "rate": Depends.ROW, "else": None}


@pytest.mark.parametrize(("name", "depends"), DEPENDS.items())
def test_what_a_column_depends_on(name, depends):
    assert SCHEMA.depends(name) is depends


def test_names_are_listed_in_order():
    assert SCHEMA.names == {"zone", "free", "rate"}
    assert SCHEMA.listed == "there are: free, rate, zone"


NAMES = {
    "zone": True, "memory_mib": True, "x9": True,
    "": False, "9x": False, "a-b": False, "a b": False, "_x": False, "__len__": False,
    "size": False, "reads": False, "plugin": False, "replace": False,
}  # fmt: skip


@pytest.mark.parametrize(("name", "allowed"), NAMES.items())
def test_names_of_columns(name, allowed):
    assert is_name(name) is allowed
    if not allowed:
        with pytest.raises(InputError) as caught:
            Schema(frozenset(), frozenset({name}))
        assert caught.value.as_dict() == {
            "code": "invalid-input",
            "place": repr(name),
            "message": "is no name for a column",
            "next": "use a plain identifier",
        }


@pytest.mark.parametrize("kinds", [("a", "a", "b"), ("a", "b", "a"), ("a", "b", "b")])
def test_a_name_stands_for_one_kind_of_column(kinds):
    with pytest.raises(InputError, match="table: one name is used for two kinds of column; rename one of them"):
        Schema(*(frozenset({name}) for name in kinds))


def test_constants_are_shared_values_as_steady_as_static_columns():
    schema = Schema(frozenset({"zone"}), frozenset({"free"}), frozenset({"rate", "names"}), frozenset({"names"}))

    assert schema.depends("names") is Depends.STATIC
    assert schema.depends("rate") is Depends.ROW


def test_a_constant_must_be_shared():
    with pytest.raises(InputError, match="a constant is no shared value"):
        Schema(frozenset(), frozenset(), frozenset(), frozenset({"names"}))
