import json

import pytest

from bayplan.signals.scraping.served_models import ServedModels, served_models

CASES = {
    "models and adapters": (
        {"data": [{"id": "base", "parent": None}, {"id": "sql", "parent": "base"}, {"id": "also"}]},
        ServedModels(("base", "also"), frozenset({"sql"})),
    ),
    "entries that are none": ({"data": [3, {"id": 3}, {"name": "x"}, {"id": "m"}]}, ServedModels(("m",))),
    "no list": ({"data": {"id": "m"}}, ServedModels()),
    "no object": ([{"id": "m"}], ServedModels()),
}


@pytest.mark.parametrize(("document", "found"), CASES.values(), ids=CASES)
def test_models(document, found):
    assert served_models(json.dumps(document).encode()) == found


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff"])
def test_what_is_no_json(body):
    assert served_models(body) == ServedModels()
