"""Taints and tolerations, by the rules of Kubernetes."""

from __future__ import annotations

import pytest

from bayplan.cluster.taint import Taint, TaintEffect, Toleration, repelling
from bayplan.framework.errors import InputError

NO_SCHEDULE, PREFER, NO_EXECUTE = TaintEffect.NO_SCHEDULE, TaintEffect.PREFER_NO_SCHEDULE, TaintEffect.NO_EXECUTE
GPU = Taint("gpu", NO_SCHEDULE, "yes")

TOLERATES = {
    "the same": (Toleration("gpu", value="yes", effect=NO_SCHEDULE), GPU, True),
    "every effect": (Toleration("gpu", value="yes"), GPU, True),
    "another value": (Toleration("gpu", value="no"), GPU, False),
    "no value is the empty one": (Toleration("gpu"), GPU, False),
    "no value, an empty taint": (Toleration("gpu"), Taint("gpu", NO_SCHEDULE), True),
    "another key": (Toleration("tpu", value="yes"), GPU, False),
    "another effect": (Toleration("gpu", value="yes", effect=NO_EXECUTE), GPU, False),
    "Exists, any value": (Toleration("gpu", "Exists"), GPU, True),
    "Exists, another key": (Toleration("tpu", "Exists"), GPU, False),
    "Exists, another effect": (Toleration("gpu", "Exists", effect=PREFER), GPU, False),
    "every taint": (Toleration(operator="Exists"), GPU, True),
    "every taint of one effect": (Toleration(operator="Exists", effect=NO_EXECUTE), GPU, False),
    "for a while": (Toleration("gpu", "Exists", seconds=30.0), Taint("gpu", NO_EXECUTE), True),
}


@pytest.mark.parametrize(("toleration", "taint", "tolerated"), TOLERATES.values(), ids=TOLERATES)
def test_tolerates(toleration, taint, tolerated):
    assert toleration.tolerates(taint) is tolerated
    assert repelling([taint], [toleration]) == (() if tolerated else (taint,))


REFUSED = {
    "no such operator": ({"key": "gpu", "operator": "Like"}, "operator", "'Like'"),
    "no key": ({"value": "yes"}, "key", "without a key"),
    "Exists with a value": ({"key": "gpu", "operator": "Exists", "value": "yes"}, "value", "'yes'"),
}


@pytest.mark.parametrize(("fields", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_a_toleration_that_means_nothing_is_refused(fields, place, message):
    with pytest.raises(InputError) as caught:
        Toleration(**fields)

    assert caught.value.place == place
    assert message in caught.value.message
    assert caught.value.next


def test_a_wish_repels_nobody():
    taints = [Taint("a", NO_SCHEDULE), Taint("b", PREFER), Taint("c", NO_EXECUTE)]

    assert [taint.key for taint in repelling(taints, [])] == ["a", "c"]


def test_one_toleration_of_several_is_enough():
    taints = [Taint("a", NO_SCHEDULE), Taint("b", PREFER), Taint("c", NO_EXECUTE)]
    tolerations = iter([Toleration("b", "Exists"), Toleration("a", "Exists")])

    assert [taint.key for taint in repelling(taints, tolerations)] == ["c"]


WORDS = {"with a value": (GPU, "gpu=yes:NoSchedule"), "without": (Taint("gpu", NO_EXECUTE), "gpu:NoExecute")}


@pytest.mark.parametrize(("taint", "words"), WORDS.values(), ids=WORDS)
def test_a_taint_in_words(taint, words):
    assert str(taint) == words
