"""Signals of models: absent is unknown."""

import pytest

from bayplan.manifests.serving.serving_signals import collect_serving_signals
from bayplan.serving.autoscaling.model_advice import ModelSignals, Thresholds
from unit.manifests.opened import opened, places


def test_everything():
    found = collect_serving_signals(
        opened(
            {
                "models": {"m": {"version": 2, "lag": 3.5, "idleSeconds": 4, "secondsSinceChange": "1m"}, "n": {}},
                "thresholds": {"lag": 1, "idleSeconds": 2, "stableSeconds": 3},
                "packing": True,
            }
        )
    )

    assert found.models == {"m": ModelSignals(2, 3.5, 4, 60), "n": ModelSignals()}
    assert (found.thresholds, found.packing) == (Thresholds(1, 2, 3), True)


def test_nothing():
    found = collect_serving_signals(opened({}))

    assert (found.models, found.thresholds, found.packing) == ({}, Thresholds(30, 30, 60), False)


WRONG = {
    "a negative lag": ({"models": {"m": {"lag": -1}}}, ["models.m.lag"]),
    "words": ({"models": {"m": {"idleSeconds": "long"}}}, ["models.m.idleSeconds"]),
    "a threshold": ({"thresholds": {"stableSeconds": -5}}, ["thresholds.stableSeconds"]),
    "a list": ({"models": []}, ["models"]),
}


@pytest.mark.parametrize(("given", "where"), WRONG.values(), ids=WRONG)
def test_wrong_signals(given, where):
    fields = opened(given)
    collect_serving_signals(fields)

    assert places(fields) == where
