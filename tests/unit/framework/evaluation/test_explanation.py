"""Looking into an explanation."""

import numpy as np
import pytest

from bayplan.framework.errors import InputError
from bayplan.framework.evaluation.explain import explain
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import SKIP
from bayplan.framework.reasons import Reasons
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, bound, cycle, table

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


def explained(*plugins, on):
    return explain(bound(*plugins), on, "ask", cycle())


def keeps(kind, name, call):
    """A filter for either storage."""

    def mask(ask, rows, cycle):
        return [call(free) for free in rows.free] if kind is ListTable else call(rows.free)

    return Keeps(name, ("free",), mask)


@STORAGES
def test_rejections_are_found_by_row_key_filter_and_code(kind):
    big = keeps(kind, "big", lambda free: free >= 3)
    odd = keeps(kind, "odd", lambda free: free % 2 == 1)
    odd.explain = lambda ask, rows, cycle: Reasons("even-number", rest=0)
    idle = keeps(kind, "idle", lambda free: free < 0)
    idle.prepare = lambda ask, table, cycle: SKIP
    found = explained(big, odd, idle, on=table(kind=kind)).rejections

    def codes_of(*row, **said):
        return {row: [each.code for each in why] for row, why in found(*row, **said).items()}

    assert codes_of() == {1: ["big"], 2: ["big", "even-number"]}
    assert codes_of(2) == codes_of("c") == codes_of(np.int64(2)) == {2: ["big", "even-number"]}
    assert codes_of(0) == codes_of("a") == {}
    assert codes_of(filter="odd") == codes_of(code="even-number") == {2: ["even-number"]}
    assert codes_of("b", filter="odd") == codes_of(code="no-such-code") == codes_of(filter="idle") == {}
    assert codes_of("c", filter="big", code="big") == {2: ["big"]}
    assert codes_of(filter="big", code="even-number") == {}


WRONG_ROWS = {
    "a row that is not there": ((7,), {}, "rejections.row: there is no row 7; rows are 0 to 2"),
    "a negative one": ((-1,), {}, "rejections.row: there is no row -1; rows are 0 to 2"),
    "a boolean": ((True,), {}, "rejections.row: there is no row True; rows are 0 to 2"),
    "a fraction": ((1.5,), {}, "rejections.row: 1.5 is no row; give the number of a row or its key"),
    "a key that is not there": (("bb",), {}, "rejections.row: no row has the key 'bb'; did you mean 'b'?"),
    "a filter": (("big",), {}, "rejections.row: no row has the key 'big'; write rejections(filter='big')"),
    "a code": (("too-odd",), {}, "rejections.row: no row has the key 'too-odd'; write rejections(code='too-odd')"),
    "another filter": (
        (), {"filter": "bigg"}, "rejections.filter: no filter of this profile is called 'bigg'; did you mean 'big'?",
    ),
}  # fmt: skip


@STORAGES
@pytest.mark.parametrize(("row", "said", "message"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_what_rejections_cannot_find_is_told(kind, row, said, message):
    big = keeps(kind, "big", lambda free: free >= 3)
    odd = keeps(kind, "odd", lambda free: free % 2 == 1)
    odd.explain = lambda ask, rows, cycle: Reasons("too-odd", rest=0)

    with pytest.raises(InputError) as caught:
        explained(big, odd, on=table(kind=kind)).rejections(*row, **said)

    assert str(caught.value) == message


def test_an_empty_table_has_no_row():
    with pytest.raises(InputError, match="there is no row 0; the table is empty"):
        explained(on=table(free=(), zone=())).rejections(0)
