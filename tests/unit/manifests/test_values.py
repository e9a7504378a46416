"""Single values: what each means, and what is refused with which words."""

from __future__ import annotations

from enum import StrEnum

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests import values


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


READ = {
    "a bare number is MiB": (values.claim_mib, 512, 512),
    "a bare number in quotes too": (values.claim_mib, "512", 512),
    "claims round up": (values.claim_mib, "1000000", 1000000),
    "a decimal claim rounds up": (values.claim_mib, "1GB", 954),
    "a capacity rounds down": (values.capacity_mib, "1GB", 953),
    "Kubernetes counts bytes": (values.claim_mib_of_bytes, 2**20 + 1, 2),
    "Kubernetes suffixes are the same": (values.claim_mib_of_bytes, "2Gi", 2048),
    "cores": (values.claim_cpu_milli, 0.5, 500),
    "millicores": (values.capacity_cpu_milli, "100m", 100),
    "a share": (values.claim_compute_milli, "12.5%", 125),
    "a count": (values.count, "8", 8),
    "a count of zero": (values.count, 0, 0),
    "a count that is a float": (values.count, 8.0, 8),
    "a negative priority": (values.priority, -5, -5),
    "a rate": (values.rate, 0.3, 0.3),
    "money": (values.money, "$4.5", 4.5),
    "bandwidth with the suffix of a size": (values.bandwidth_gb_per_s, "600Gi", 600.0),
    "days": (values.duration_s, "7d", 604800.0),
    "text": (values.text, "a", "a"),
    "a number as text": (values.text, 7, "7"),
    "a truth as text": (values.text, True, "true"),
    "a flag": (values.flag, False, False),
    "a flag in quotes": (values.flag, "True", True),
    "a word": (values.one_of(Colour), "blue", Colour.BLUE),
}


@pytest.mark.parametrize(("parse", "value", "meaning"), READ.values(), ids=READ)
def test_meaning(parse, value, meaning):
    assert parse(value) == meaning
    assert parse(value) == meaning, "and again, from memory"


REFUSED = {
    "no size": (values.claim_mib, "fortyGi", "'fortyGi' is not a number"),
    "a negative size": (values.claim_mib, -1, "-1 is negative"),
    "a truth as a size": (values.claim_mib, True, "True is not a number"),
    "a list as a size": (values.claim_mib, [1], "[1] is not a number"),
    "a suffix of another case": (values.claim_mib, "4gi", "'4gi' has the unknown suffix 'gi'; did you mean 'Gi'?"),
    "a truth as a count": (values.count, True, "True is not a number"),
    "half a card": (values.count, 1.5, "1.5 is not a whole number"),
    "none where one is needed": (values.positive, 0, "0 is too small"),
    "a rate above one": (values.rate, 1.5, "1.5 is too large"),
    "a mapping as text": (values.text, {}, "a mapping is no text; put it in quotes"),
    "a float as text": (values.text, 1.5, "1.5 is no text"),
    "an integer that cannot be printed": (values.text, 10**5000, "an integer of 16610 bits is no text"),
    "an empty name": (values.name, "", "the text is empty; write a name"),
    "a blank name": (values.name, " \t", "the text is empty; write a name"),
    "a number as a flag": (values.flag, 1, "1 is neither true nor false"),
    "an unknown word": (values.one_of(Colour), "bleu", "'bleu' is not one of red | blue; did you mean 'blue'?"),
    "a word of another case": (values.one_of(Colour), "Red", "did you mean 'red'?"),
    "a number as a word": (values.one_of(Colour), 1, "1 is not one of red | blue; write one of red | blue"),
    "null as a word": (values.one_of(Colour), None, "null is not one of red | blue"),
}


@pytest.mark.parametrize(("parse", "value", "says"), REFUSED.values(), ids=REFUSED)
def test_refused(parse, value, says):
    with pytest.raises(InputError) as refused:
        parse(value)

    assert says in str(refused.value)


def test_equal_numbers_of_different_types_are_not_mixed_up():
    assert values.count(1) == 1
    with pytest.raises(InputError):
        values.count(True)
