"""What every filter of serving has in common: it judges servers or replicas, and no configuration leaves it out."""

import pytest

from bayplan.serving.defaults import FILTERS
from unit.serving.builders import ask, keeps_its_promises, replica, server, subject, table

ROWS = table(
    server("a", [replica(0, 100), replica(1, None), replica(2, 30, ("onnx", "alibi-explain"), draining=True)]),
    server("b", 2, shared=False, capabilities=("sklearn", "alibi-explain"), expected=0),
    server("c", 0),
)
SUBJECTS = (
    subject(),
    subject(ask(50, ("sklearn", "onnx"), explainer=True, server="a", dedicated=True, preloaded=True)),
    subject(ask(0, server="elsewhere"), desired=3, kept={0: "available", 2: "loading"}, failed={1}, leaving={1, 3}),
    subject(ask(90, preloaded=True), kept={1: "loaded"}, closed={0, 2}, current=1),
)


@pytest.mark.parametrize("plugin", FILTERS, ids=lambda plugin: plugin.name)
def test_contract(plugin):
    keeps_its_promises(plugin(), ROWS, *SUBJECTS)

    assert plugin.required
    assert plugin.judges in ("servers", "replicas")
