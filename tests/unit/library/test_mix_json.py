import json

import pytest

from bayplan.framework.errors import InputError
from bayplan.library.mix_json import mix_from_json, mix_to_json
from bayplan.placement.packing.mix import Mix
from unit.placement.builders import ask
from unit.placement.scorers.packed import percent, wholes


def test_a_mix_survives_and_goes_on_learning():
    mix = Mix()
    for each in (wholes(1), percent(30), wholes(1), ask(cpu_milli=500)):
        mix.observe(each)

    again = mix_from_json(json.loads(json.dumps(mix_to_json(mix))))
    again.observe(wholes(8))
    mix.observe(wholes(8))

    assert again.seen == 5
    assert again.counts == mix.counts
    assert again.weights() == mix.weights()


def test_an_empty_mix():
    again = mix_from_json(mix_to_json(Mix()))

    assert (again.seen, again.counts, again.given) == (0, {}, False)


WRONG = {
    "nothing": None,
    "a list": [],
    "no counts": {"seen": 1},
    "no number": {"seen": "many", "counts": []},
    "a count that is none": {"seen": 1, "counts": [[{"$": "PackingDemand"}, "often"]]},
    "no demand": {"seen": 1, "counts": [[{"$": "Level", "value": "rack"}, 1.0]]},
    "half a demand": {"seen": 1, "counts": [[{"$": "PackingDemand", "cpu_milli": 1}, 1.0]]},
    "three in a pair": {"seen": 1, "counts": [[1, 2, 3]]},
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_other_data_is_refused(data):
    with pytest.raises(InputError):
        mix_from_json(data)
