"""Explainers need replicas that explain."""

from bayplan.serving.filters.explainer import Explainer
from unit.serving.builders import ask, codes, replica, server, subject, table

ROWS = table(server("a", [replica(0), replica(1, capabilities=("alibi-explain",))]))


def test_explainers():
    ((place, (rejection,)),) = codes(Explainer(), ROWS, subject(ask(explainer=True))).items()

    assert (place, rejection.code, rejection.details["missing"]) == ("a/0", "explainer-missing", ["alibi-explain"])


def test_other_models_run_anywhere():
    assert codes(Explainer(), ROWS, subject()) == {}
