"""What a replica must offer."""

import pytest

from bayplan.serving.filters.capabilities import Capabilities
from unit.serving.builders import ask, codes, replica, server, subject, table

CASES = {  # requirements, what is missing on a replica that offers onnx and Sklearn
    "nothing required": ((), None),
    "offered": (("onnx",), None),
    "capitals count": (("sklearn",), ["sklearn"]),
    "in the order of the requirements": (("xgboost", "onnx", "sklearn"), ["xgboost", "sklearn"]),
}


@pytest.mark.parametrize(("requirements", "missing"), CASES.values(), ids=CASES)
def test_requirements(requirements, missing):
    on = table(server("a", [replica(0, capabilities=("onnx", "Sklearn"))]))
    found = codes(Capabilities(), on, subject(ask(requirements=requirements))).get("a/0", [None])[0]

    assert (found and found.details["missing"]) == missing
    assert found is None or (found.code, found.curable) == ("capability-missing", False)


def test_each_replica_by_itself():
    on = table(server("a", [replica(0, capabilities=()), replica(1)]))

    assert list(codes(Capabilities(), on, subject())) == ["a/0"]
    assert codes(Capabilities(), on, subject())["a/0"][0].message == "does not offer sklearn"
