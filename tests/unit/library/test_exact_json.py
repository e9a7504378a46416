import json
from pathlib import Path

import pytest
import yaml

from bayplan.framework.errors import BayplanError, InputError
from bayplan.library.documents import documents_of
from bayplan.library.exact_json import from_json, to_json
from bayplan.library.sized_workloads import read_sized_workloads

CASES = Path(__file__).parents[2] / "acceptance" / "cases"


def sized_workloads():
    """Every workload of the acceptance cases that can be read."""
    for file in sorted(CASES.glob("placement-*.yaml")):
        for case in yaml.load(file.read_text(), yaml.CSafeLoader)["cases"]:
            given = (case.get("input") or case).get("workloads") or (case.get("call") or {}).get("workloads")
            try:
                yield from read_sized_workloads(documents_of(given, "workloads"))
            except (BayplanError, TypeError, AttributeError):
                continue


def test_what_is_written_is_read_again_exactly():
    tried = 0
    for sized in sized_workloads():
        text = json.dumps(to_json(sized))
        assert from_json(json.loads(text)) == sized
        tried += 1
    assert tried > 300


@pytest.mark.parametrize("data", [{"$": "os.system"}, {"$": "Workload"}, {"$": "Shape", "nonsense": 1}, {}])
def test_other_data_is_refused(data):
    with pytest.raises(InputError):
        from_json(data)


def test_other_types_are_refused():
    with pytest.raises(TypeError):
        to_json(object())
