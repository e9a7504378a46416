import numpy as np
import pytest

from bayplan.framework.reasons import Reasons, Refusal, Rejection

AT = {
    "one code for all": (Reasons("full"), 1, {"code": "full", "curable": False}),
    "a column of codes": (Reasons(["full", "gone"]), 1, {"code": "gone"}),
    "an array of codes": (Reasons(np.array(["full", "gone"])), 0, {"code": "full"}),
    "an array of objects": (Reasons(np.array(["full", "gone"], object)), 1, {"code": "gone"}),
    "curable": (Reasons("full", curable=True), 0, {"curable": True}),
    "curable row by row": (Reasons("full", curable=np.array([True, False])), 1, {"curable": False}),
    "numbers by row": (Reasons("full", needed=5, free=np.array([1, 2])), 1, {"needed": 5, "free": 2, "short": 3}),
    "numbers of NumPy": (
        Reasons("full", needed=np.int64(5), free=np.array(3)),
        1,
        {"needed": 5, "free": 3, "short": 2},
    ),
    "no free known": (Reasons("full", needed=5), 0, {"free": None, "short": None}),
    "several numbers a row": (Reasons("x", cards=np.array([[1, 2], [3, 4]])), 1, {"details": {"cards": [3, 4]}}),
    "units by row": (Reasons("x", unit=["MiB", "cards"]), 1, {"unit": "cards"}),
    "text by row": (Reasons("x", zone=("a", "b")), 1, {"details": {"zone": "b"}}),
}


@pytest.mark.parametrize(("reasons", "place", "wanted"), AT.values(), ids=AT)
def test_the_reason_at_a_place(reasons, place, wanted):
    rejection = reasons.at(place, "mine")

    got = {name: getattr(rejection, name) for name in wanted}
    assert got == wanted
    assert {name: type(value) for name, value in got.items()} == {name: type(value) for name, value in wanted.items()}
    assert rejection.filter == "mine"


MESSAGES = {
    "the code alone": (Reasons("label-mismatch"), "label mismatch"),
    "needed and free": (Reasons("ram-short", needed=5, free=3, unit="MiB"), "ram short: needs 5 MiB, 3 MiB free"),
    "without a unit": (Reasons("full", needed=5, free=3), "full: needs 5, 3 free"),
    "free is unknown": (Reasons("full", needed=5, unit="MiB"), "full: needs 5 MiB, an unknown amount free"),
    "a template": (
        Reasons("full", needed=5, free=3, unit="GB", zone="a", text="{zone}: {short} {unit} short of {needed}, {free}"),
        "a: 2 GB short of 5, 3",
    ),
    "a template by row": (Reasons("x", text=["{free} left", "none"], free=[3, 0]), "3 left"),
    "a template without numbers": (Reasons("x", text="left out of {kept}", kept=[7]), "left out of 7"),
}


@pytest.mark.parametrize(("reasons", "message"), MESSAGES.values(), ids=MESSAGES)
def test_the_sentence(reasons, message):
    assert reasons.at(0, "mine").message == message


def test_a_rejection_without_details_has_a_sentence_too():
    assert Rejection("a-b", "mine", template="{needed}", needed=4).message == "4"


def test_as_the_documents_print_it():
    rejection = Reasons("ram-short", curable=True, needed=5, free=3, unit="MiB").at(0, "host-fit")

    assert rejection.as_dict() == {
        "code": "ram-short",
        "filter": "host-fit",
        "curable": True,
        "needed": 5,
        "free": 3,
        "short": 2,
        "unit": "MiB",
        "message": "ram short: needs 5 MiB, 3 MiB free",
        "not_known": None,
    }


def test_a_refusal_is_read_row_by_row():
    refusal = Refusal("mine", np.array([4, 7]), Reasons("full", free=[1, 2]))

    read = [(row, type(row), rejection.free, rejection.filter) for row, rejection in refusal]

    assert read == [(4, int, 1, "mine"), (7, int, 2, "mine")]


def test_lengths_are_those_of_the_columns():
    reasons = Reasons(["a", "b"], curable=(True,), needed=5, free=np.array([1, 2, 3]), zone="abc", none=np.array(4))

    assert reasons.lengths() == {"code": 2, "curable": 1, "free": 3}
    assert Reasons("a", unit=["MiB"], text=("x", "y")).lengths() == {"unit": 1, "text": 2}


MISSES = {
    "arrays": ({"needed": np.array([5, 9]), "free": np.array([1, 2])}, [4.0, 7.0]),
    "a number for all": ({"needed": 5, "free": np.array([1.5, 2.0])}, [3.5, 3.0]),
    "lists with gaps": ({"needed": [5, None], "free": [1, 2]}, [4.0, np.inf]),
    "numbers of NumPy in a list": ({"needed": [np.int32(5), 7], "free": [1, 2]}, [4.0, 5.0]),
    "small numbers do not wrap": ({"needed": 1, "free": np.array([2, 1], np.uint8)}, [-1.0, 0.0]),
    "words": ({"needed": "a", "free": "b"}, [np.inf, np.inf]),
    "nothing": ({}, [np.inf, np.inf]),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "misses"), MISSES.values(), ids=MISSES)
def test_by_how_much_rows_missed(columns, misses):
    assert Reasons("x", **columns).misses(2).tolist() == misses
