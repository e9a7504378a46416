"""What counts as absent: null and empty fields, but neither items nor entries that the author named."""

import pytest

from bayplan.framework.config.shapes import Anything, Field, ListOf, MapOf, Maybe, Record, Scalar
from bayplan.routing.config.absence import without_empty

INNER = Record((Field("name", "name", Scalar(str)), Field("labels", "labels", MapOf(Scalar(str)))), dict)
OUTER = Record(
    (
        Field("inner", "inner", Maybe(INNER)),
        Field("items", "items", ListOf(INNER)),
        Field("any", "any", Anything()),
        Field("count", "count", Scalar(int)),
    ),
    dict,
)

CASES = {
    "null": ({"inner": None, "count": None}, {}),
    "empty": ({"inner": {}, "items": [], "any": ""}, {}),
    "zero and false say something": ({"count": 0, "any": False}, {"count": 0, "any": False}),
    "inside": ({"inner": {"name": ""}}, {"inner": {}}),
    "items keep their numbers": ({"items": [None, {}, {"name": ""}]}, {"items": [None, {}, {}]}),
    "labels may be empty": ({"inner": {"labels": {"a": ""}}}, {"inner": {"labels": {"a": ""}}}),
    "unknown fields stay, to be refused": ({"odd": None}, {"odd": None}),
    "no mapping": (5, 5),
    "no list": ({"items": {"a": 1}}, {"items": {"a": 1}}),
}  # fmt: skip


@pytest.mark.parametrize(("value", "wanted"), CASES.values(), ids=CASES)
def test_without_empty(value, wanted):
    assert without_empty(OUTER, value) == wanted
