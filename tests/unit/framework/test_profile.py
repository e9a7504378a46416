from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.errors import InputError
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Named, Profile, Weighted
from unit.framework.builders import freest, profile, roomy


def test_plugins_are_wrapped_with_their_names_and_weights():
    filter_, scorer, other = roomy(), freest(), freest("other")
    mine = Profile(
        "p", MaxScore(), filters=(filter_, Named(filter_, "again")), scorers=(scorer, Weighted(other, 2, 1, "mine"))
    )

    assert [(use.plugin, use.name) for use in mine.named_filters] == [(filter_, "roomy"), (filter_, "again")]
    assert [(use.scorer, use.weight, use.level, use.key) for use in mine.weighted] == [
        (scorer, 1.0, 0, "freest"),
        (other, 2, 1, "mine"),
    ]
    assert mine.named_producers == ()
    assert (mine.candidates, mine.resolver) == (None, None)


WEIGHTS = {
    "one": (1, True), "zero": (0, True), "negative": (-2.5, True), "huge": (1e308, True),
    "of NumPy": (np.float32(2), True),
    "infinite": (inf, False), "minus infinite": (-inf, False), "NaN": (nan, False), "true": (True, False),
    "text": ("1", False), "nothing": (None, False), "400 digits": (10**400, False),
}  # fmt: skip


@pytest.mark.parametrize(("weight", "allowed"), WEIGHTS.values(), ids=WEIGHTS)
def test_a_weight_is_a_finite_number(weight, allowed):
    if allowed:
        assert Weighted(freest(), weight).weight == weight
        return
    with pytest.raises(InputError) as caught:
        Weighted(freest(), weight, name="mine")

    assert caught.value.place == "weight of mine"
    assert caught.value.message == f"{weight!r} is not a finite number"
    assert caught.value.next


def test_weights_that_add_up_to_infinity_are_refused():
    scorers = [Weighted(freest(name), weight) for name, weight in (("a", 1e308), ("b", -1e308))]
    with pytest.raises(InputError, match="profile p: its weights add up to infinity; give smaller weights"):
        profile(*scorers)


DOUBLES = {
    "two scorers": ([freest(), freest()], "'freest' is in it twice"),
    "two filters": ([roomy(), roomy()], "'roomy' is in it twice"),
    "a scorer by its other name": ([freest("a"), Weighted(freest(), name="a")], "'a' is in it twice"),
    "a filter and a scorer": ([roomy("same"), freest("same")], None),
}


@pytest.mark.parametrize(("plugins", "message"), DOUBLES.values(), ids=DOUBLES)
def test_a_name_stands_once_among_its_kind(plugins, message):
    if message is None:
        assert profile(*plugins).name == "p"
        return
    with pytest.raises(InputError) as caught:
        profile(*plugins)

    assert str(caught.value) == f"profile p: {message}; give each use a name of its own"
