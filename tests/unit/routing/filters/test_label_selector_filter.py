"""Selectors choose by labels."""

import pytest

from bayplan.routing.filters.label_selector_filter import LabelExpression, LabelSelectorFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at

POOL = endpoints({"labels": {"gpu": "h100", "tier": "gold"}}, {"labels": {"gpu": "a100"}}, {"labels": {}})


def by(key, operator, *values):
    return LabelSelectorFilter(match_expressions=(LabelExpression(key, operator, values),))


CASES = {
    "nothing is demanded": (LabelSelectorFilter(), {"a", "b", "c"}),
    "a label": (LabelSelectorFilter({"gpu": "h100"}), {"a"}),
    "two labels": (LabelSelectorFilter({"gpu": "h100", "tier": "silver"}), set()),
    "In": (by("gpu", "In", "h100", "a100"), {"a", "b"}),
    "NotIn keeps what has no label": (by("gpu", "NotIn", "h100"), {"b", "c"}),
    "Exists": (by("tier", "Exists"), {"a"}),
    "DoesNotExist": (by("tier", "DoesNotExist"), {"b", "c"}),
    "all must hold": (
        LabelSelectorFilter({"gpu": "a100"}, (LabelExpression("tier", "Exists"),)), set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "wanted"), CASES.values(), ids=CASES)
def test_mask(plugin, wanted):
    assert kept(plugin, POOL) == wanted
    assert codes(plugin, POOL) == {name: ["label-mismatch"] for name in {"a", "b", "c"} - wanted}


def test_what_is_refused():
    assert refused_at(LabelExpression, key="", operator="Exists") == "key"
    assert refused_at(LabelExpression, key="x", operator="In") == "values"
    assert refused_at(LabelExpression, key="x", operator="Exists", values=("y",)) == "values"


@pytest.mark.parametrize("plugin", [plugin for plugin, _ in CASES.values()], ids=CASES)
def test_contract(plugin):
    keeps_its_promises(plugin, POOL)
