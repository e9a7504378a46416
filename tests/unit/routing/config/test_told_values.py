"""Parameters as their author wrote them."""

import pytest

from bayplan.framework.config.declarations import Declaration
from bayplan.framework.config.place import Place
from bayplan.routing.config.told_values import place_of, value_at

DECLARED = Declaration("x", Place(("plugins", 3)), given={"deciders": {"prefill": "d"}, "port": 5})
VALUES = {
    "inside": (("deciders", "prefill"), "d"),
    "plain": (("port",), 5),
    "absent": (("deciders", "encode"), None),
    "inside of what is no mapping": (("port", "low"), None),
}


@pytest.mark.parametrize(("path", "wanted"), VALUES.values(), ids=VALUES)
def test_values(path, wanted):
    assert value_at(DECLARED, path) == wanted


def test_places():
    assert str(place_of(DECLARED, ("shadows", 1))) == "plugins[3].parameters.shadows[1]"
