"""A label with one of some values."""

import pytest

from bayplan.routing.filters.by_label import ByLabel
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at

POOL = endpoints({"labels": {"tier": "gold"}}, {"labels": {"tier": "lead"}}, {"labels": {}})
CASES = {
    "a value": (ByLabel("tier", ("gold", "silver")), {"a"}),
    "a value or no label": (ByLabel("tier", ("gold",), allows_no_label=True), {"a", "c"}),
    "no label alone": (ByLabel("tier", allows_no_label=True), {"c"}),
}


@pytest.mark.parametrize(("plugin", "wanted"), CASES.values(), ids=CASES)
def test_mask(plugin, wanted):
    assert kept(plugin, POOL) == wanted
    assert codes(plugin, POOL) == {name: ["label-mismatch"] for name in {"a", "b", "c"} - wanted}


def test_what_is_refused():
    assert refused_at(ByLabel, label="") == "label"
    assert refused_at(ByLabel, label="x") == "valid_values"


def test_contract():
    keeps_its_promises(ByLabel("tier", ("gold",)), POOL)
