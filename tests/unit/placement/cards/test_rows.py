"""Rows outside a profile: only what was gathered, and columns that may be exchanged."""

import numpy as np
import pytest

from bayplan.placement.cards.rows import gathered, shown, some_rows
from unit.placement.builders import table_of, worker

TABLE = table_of(worker("a", cards=1), worker("b", cards=3), worker("c", cards=2))


def rows(*index, names=("card_count", "card_memory_mib")):
    return gathered(TABLE, names, np.array(index, np.intp))


def test_these_rows_in_this_order():
    found = rows(2, 0)

    assert (found.size, found.card_count.tolist()) == (2, TABLE.columns["card_count"][[2, 0]].tolist())
    assert found.pools is TABLE.shared["pools"]


def test_a_column_that_was_not_gathered_is_named():
    with pytest.raises(AttributeError, match="column 'card_free_mib' was not gathered"):
        rows(0).card_free_mib  # noqa: B018


def test_other_columns_in_their_place():
    before = rows(0, 1)
    after = before.having(card_count=np.array([7, 8]), chosen=np.array([True, False]))

    assert (after.card_count.tolist(), after.chosen.tolist(), after.size) == ([7, 8], [True, False], 2)
    assert after.card_memory_mib is before.card_memory_mib
    assert before.card_count.tolist() == TABLE.columns["card_count"][:2].tolist()
    with pytest.raises(AttributeError):
        before.chosen  # noqa: B018


def test_some_of_the_rows():
    found = some_rows(rows(0, 1, 2), ("card_count", "pools"), np.array([2, 1]))

    assert (found.size, found.card_count.tolist()) == (2, TABLE.columns["card_count"][[2, 1]].tolist())
    assert found.pools is TABLE.shared["pools"]
    with pytest.raises(AttributeError):
        found.card_memory_mib  # noqa: B018


def test_all_rows_with_some_columns():
    found = shown(rows(0, 1, 2), ("card_count",))

    assert (found.size, found.card_count.tolist()) == (3, TABLE.columns["card_count"].tolist())
    with pytest.raises(AttributeError):
        found.card_memory_mib  # noqa: B018
