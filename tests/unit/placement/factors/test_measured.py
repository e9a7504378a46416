"""Measurements as columns: by position of the card, NaN where nobody knows, gone when too old."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.framework.errors import InputError
from bayplan.placement.factors.measured import lacking, measure, notes, refuse_age
from unit.placement.builders import gpu, table_of, worker
from unit.placement.scorers.explained import seen

NAN = pytest.approx(np.nan, nan_ok=True)


def read(*workers, fields=("gpuPercent", "cpuPercent"), max_age_s=120.0):
    table = table_of(*workers)
    columns = {name: table.columns[name] for name in ("utilization_id", "cards_id")}
    chosen = np.zeros(table.columns["card_memory_mib"].shape, np.bool_)
    found = measure(SimpleNamespace(**columns, pools=table.shared["pools"], chosen=chosen), fields, max_age_s)
    place = {name: row for row, name in enumerate(table.keys)}
    return found, [place[each.name] for each in workers]


def test_cards_are_found_by_runtime_and_index():
    cards = [gpu(3), gpu(1), gpu(0, runtime="rocm", model="MI300X")]
    load = seen({"gpu_percent": 7.0}, {"gpu_percent": 8.0}, {"gpu_percent": 9.0}, {"gpu_percent": 10.0})
    found, (row,) = read(worker(cards=cards, utilization=load))

    assert found["gpuPercent"][row].tolist() == [10.0, 8.0, NAN]


def test_every_worker_has_its_own():
    """The same measurements on other cards, and other measurements on the same cards."""
    load = seen({"gpu_percent": 5.0}, cpu_percent=50.0)
    found, rows = read(
        worker("a", cards=2, utilization=load),
        worker("b", cards=[gpu(1), gpu(0)], utilization=load),
        worker("c", cards=2, utilization=seen({"gpu_percent": 6.0})),
        worker("d", cards=2),
    )

    assert found["gpuPercent"][rows].tolist() == [[5.0, NAN], [NAN, 5.0], [6.0, NAN], [NAN, NAN]]
    assert found["cpuPercent"][rows].tolist() == [50.0, 50.0, NAN, NAN]


AGES = {"fresh": (0.0, 50.0), "as old as allowed": (120.0, 50.0), "too old": (120.5, NAN), "not known": (None, 50.0)}


@pytest.mark.parametrize(("age_s", "wanted"), AGES.values(), ids=AGES)
def test_age(age_s, wanted):
    found, (row,) = read(worker(utilization=seen(age_s=age_s, cpu_percent=50.0)))

    assert found["cpuPercent"][row] == wanted


def test_no_cards_anywhere():
    found, rows = read(worker(utilization=seen(cpu_percent=50.0)), worker("b"))

    assert found["gpuPercent"][rows].tolist() == [[NAN], [NAN]]
    assert found["cpuPercent"][rows].tolist() == [50.0, NAN]


def test_lacking():
    values = np.array([[1.0, np.nan], [np.nan, 2.0]])
    chosen = np.array([[True, False], [True, True]])

    assert lacking(values, chosen).tolist() == [False, True]
    assert lacking(np.array([np.nan, 3.0]), chosen).tolist() == [True, False]


def test_notes_name_what_is_missing():
    found, rows = read(worker("a", utilization=seen(age_s=500)), worker("b", utilization=seen(age_s=None)), worker("c"))
    missing = {"x": np.array([True, True, True]), "y": np.array([False] * 3)}
    texts = notes(found, missing, 3)

    assert [texts[row] for row in rows] == [
        "measured 500 s ago, longer than 120 s; not known: x",
        "the time of the measurement is not known; not known: x",
        "not known: x",
    ]
    assert notes(None, {"y": np.array([False])}, 1) == [""]


def test_an_age_below_0_is_refused():
    with pytest.raises(InputError, match="max_age_seconds: -5 seconds are no age; write 0 or more"):
        refuse_age(-5)
