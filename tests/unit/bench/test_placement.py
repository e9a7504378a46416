"""Every variant of the placement rows picks the same workers, and leaves the same bytes in every column."""

import pytest
from bench import placement
from bench.placement import KINDS, _decisions, _defined, _placing
from bench.worker_fleet import worker_fleet

from bayplan.framework.evaluation import row_loop
from bayplan.library.numba_compiler import NumbaCompiler


@pytest.fixture
def tables(monkeypatch):
    """The tables of the variants, in the order in which they were prepared."""
    made = []
    ready = placement.placer

    def noted(*args, **options):
        strategies = ready(*args, **options)
        made.append(strategies.snapshot.table)
        return strategies

    monkeypatch.setattr(placement, "placer", noted)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_loops_compiled_code_and_arrays_decide_and_book_the_same(kind, tables, monkeypatch, tmp_path):
    pytest.importorskip("numba")
    fleet = worker_fleet(300, 250, KINDS[kind][0])
    picked = {}
    _placing(fleet, picked, "loops")()
    _placing(fleet, picked, "numba", NumbaCompiler(after=0, folder=tmp_path))()
    _defined(fleet, fleet.asks, picked)()
    monkeypatch.setattr(row_loop.RowLoops, "due", lambda self, size: False)
    _placing(fleet, picked, "arrays")()

    assert picked["loops"] == picked["numba"] == picked["plain"] == picked["arrays"]
    assert -1 not in picked["loops"]
    assert list(tmp_path.glob("*.py"))
    first, *others = tables
    for other in others:
        for name, column in first.columns.items():
            assert column.tobytes() == other.columns[name].tobytes(), name


def test_a_variant_that_picks_otherwise_is_found_out(monkeypatch):
    monkeypatch.setitem(placement.SIZES, 200, 30)
    monkeypatch.setitem(placement.SLOW_DECISIONS, 200, 20)
    monkeypatch.setattr(placement, "numba_compiler", lambda say, row: None)
    monkeypatch.setattr(placement.HostKernel, "decide", lambda self, ask: 0)

    with pytest.raises(AssertionError, match="kernel picks other workers"):
        list(_decisions(200, "whole", print))
