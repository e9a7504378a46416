"""Whose servers a model may use."""

import pytest

from bayplan.serving.filters.sharing import Sharing
from unit.serving.builders import ask, codes, server, subject, table

CASES = {  # the server that the model names, codes by server
    "none: shared ones only": (None, {"private/0": "not-shared"}),
    "a shared one": ("shared", {"private/0": "pinned-elsewhere"}),
    "a private one": ("private", {"shared/0": "pinned-elsewhere"}),
    "one that is not there": ("other", {"private/0": "pinned-elsewhere", "shared/0": "pinned-elsewhere"}),
}


@pytest.mark.parametrize(("named", "expected"), CASES.values(), ids=CASES)
def test_sharing(named, expected):
    found = codes(Sharing(), table(server("private", shared=False), server("shared")), subject(ask(server=named)))

    assert {place: each.code for place, (each,) in found.items()} == expected
    assert not any(each.curable for (each,) in found.values())


def test_the_reason_names_the_server():
    ((rejection,),) = codes(Sharing(), table(server("a")), subject(ask(server="b"))).values()

    assert rejection.message == "the model names server b"
