"""A preloaded model is where its server loaded it, and nowhere else."""

from bayplan.serving.filters.preloaded import Preloaded
from unit.serving.builders import ask, codes, server, subject, table

ROWS = table(server("a", 3))


def test_preloaded():
    found = codes(Preloaded(), ROWS, subject(ask(preloaded=True), kept={1: "available"}))

    assert {place: (each.code, each.curable) for place, (each,) in found.items()} == {
        "a/0": ("preloaded", False),
        "a/2": ("preloaded", False),
    }


def test_other_models():
    assert codes(Preloaded(), ROWS, subject()) == {}
