import numpy as np
import pytest

from bayplan.framework.reasons import Reasons, Refusal, Rejection
from unit.framework.builders import index

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
    "a fact that is lacking": (Reasons("x", not_known=["", "price"]), 1, {"not_known": "price"}),
    "no more than a code": (
        Reasons("x"),
        0,
        {"needed": None, "free": None, "unit": "", "template": "", "details": {}, "not_known": "", "cured_by": ()},
    ),
}


@pytest.mark.parametrize(("reasons", "place", "wanted"), AT.values(), ids=AT)
def test_the_reason_at_a_place(reasons, place, wanted):
    rejection = reasons.at(place, "mine")

    got = {name: getattr(rejection, name) for name in wanted}
    assert got == wanted
    assert {name: type(value) for name, value in got.items()} == {name: type(value) for name, value in wanted.items()}
    assert rejection.filter == "mine"


CURES = {  # what the filter says, what the reasons say, what is told
    "the filter's own": (("released",), None, ("released",)),
    "fewer": (("released", "joined"), ("joined",), ("joined",)),
    "none": (("released",), (), ()),
}


@pytest.mark.parametrize(("of_filter", "of_reasons", "told"), CURES.values(), ids=CURES)
def test_reasons_may_name_fewer_cures_than_the_filter(of_filter, of_reasons, told):
    reasons = Reasons("full", cured_by=of_reasons, free=[1, 2])
    spread = reasons.spread(index(1, 0, 1))

    assert reasons.at(1, "mine", of_filter).cured_by == told
    assert [each.cured_by for each in reasons.each(2, "mine", of_filter)] == [told] * 2
    assert [each.cured_by for each in spread.each(3, "mine", of_filter)] == [told] * 3
    assert Refusal("mine", [4, 7], reasons, of_filter).cured_by == told
    assert [each.cured_by for _, each in Refusal("mine", [4, 7], reasons, of_filter)] == [told] * 2


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


def test_what_is_not_said_is_empty():
    reasons = Reasons("x")

    assert reasons.at(0, "mine") == Rejection("x", "mine", details={})
    assert list(reasons.each(1, "mine")) == [Rejection("x", "mine", details={})]


def test_all_that_can_be_said_of_a_row():
    reasons = Reasons(
        ["x", "y"], curable=True, unit="MiB", text="{zone}", not_known="price", cured_by=("joined",), needed=5, zone="a"
    )
    second = Rejection("y", "mine", True, 5, None, "MiB", "{zone}", {"zone": "a"}, "price", ("joined",))

    assert reasons.at(1, "mine") == list(reasons.each(2, "mine"))[1] == second
    assert second.as_dict()["not_known"] == "price"


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
    assert Reasons("a", not_known=["", "", "", "price"]).lengths() == {"not_known": 4}


MISSES = {
    "arrays": ({"needed": np.array([5, 9]), "free": np.array([1, 2])}, [4.0, 7.0]),
    "a number for all": ({"needed": 5, "free": np.array([1.5, 2.0])}, [3.5, 3.0]),
    "lists with gaps": ({"needed": [5, None], "free": [1, 2]}, [4.0, np.inf]),
    "numbers of NumPy in a list": ({"needed": [np.int32(5), 7], "free": [1, 2]}, [4.0, 5.0]),
    "small numbers do not wrap": ({"needed": 1, "free": np.array([2, 1], np.uint8)}, [-1.0, 0.0]),
    "words": ({"needed": "a", "free": "b"}, [np.inf, np.inf]),
    "arrays of small integers": ({"needed": np.array([5, 9], np.int32), "free": [1, 2]}, [4.0, 7.0]),
    "two numbers for all": ({"needed": 5, "free": 3}, [2.0, 2.0]),
    "halves": ({"needed": [5, 1], "free": 0.5}, [4.5, 0.5]),
    "free is not known of one row": ({"needed": 5, "free": [None, 2]}, [np.inf, 3.0]),
    "free is not known": ({"needed": 5}, [np.inf, np.inf]),
    "needed is not known": ({"free": 5}, [np.inf, np.inf]),
    "nothing": ({}, [np.inf, np.inf]),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "misses"), MISSES.values(), ids=MISSES)
def test_by_how_much_rows_missed(columns, misses):
    found = Reasons("x", **columns).misses(2)

    assert (found.tolist(), found.dtype) == (misses, np.float64)


SAID = {  # reasons, refused rows, each code with the fact that it lacked and the places of its rows
    "one code": (Reasons("full"), 3, [(("full", ""), [0, 1, 2])]),
    "one code without rows": (Reasons("full"), 0, [(("full", ""), [])]),
    "codes in the order of their first rows": (
        Reasons(["b", "c", "a", "b"]),
        4,
        [(("b", ""), [0, 3]), (("c", ""), [1]), (("a", ""), [2])],
    ),
    "facts that are lacking": (
        Reasons("full", not_known=["", "price", ""]),
        3,
        [(("full", ""), [0, 2]), (("full", "price"), [1])],
    ),
    "codes that lack the same fact": (
        Reasons(np.array(["b", "a"]), not_known="price"),
        2,
        [(("b", "price"), [0]), (("a", "price"), [1])],
    ),
    "codes and facts": (Reasons(["a", "a"], not_known=["x", "y"]), 2, [(("a", "x"), [0]), (("a", "y"), [1])]),
    "no rows": (Reasons([]), 0, []),
    "codes of kinds": (
        Reasons(["a", "b", "c"]).spread(index(2, 1, 2, 2)),
        4,
        [(("c", ""), [0, 2, 3]), (("b", ""), [1])],
    ),
    "more kinds than rows": (Reasons(["a", "b"], not_known="x").spread(index(1)), 1, [(("b", "x"), [0])]),
    "facts of kinds": (
        Reasons("a", not_known=["x", ""]).spread(index(1, 1, 0)),
        3,
        [(("a", ""), [0, 1]), (("a", "x"), [2])],
    ),
}


@pytest.mark.parametrize(("reasons", "size", "said"), SAID.values(), ids=SAID)
def test_each_code_with_its_rows(reasons, size, said):
    assert [(pair, places.tolist()) for pair, places in reasons.said(size)] == said


CURABLES = {
    "one answer for all": (Reasons("x", curable=True), [True, True]),
    "no answer": (Reasons("x"), [False, False]),
    "row by row": (Reasons("x", curable=[False, True]), [False, True]),
    "ones and zeros": (Reasons("x", curable=np.array([1, 0])), [True, False]),
    "of kinds": (Reasons("x", curable=[False, False, True]).spread(index(2, 1)), [True, False]),
    "one answer for all kinds": (Reasons("x", curable=True).spread(index(2, 1)), [True, True]),
}


@pytest.mark.parametrize(("reasons", "curables"), CURABLES.values(), ids=CURABLES)
def test_which_rows_can_be_cured(reasons, curables):
    found = reasons.curables(2)

    assert (found.tolist(), found.dtype) == (curables, np.bool_)


KINDS = {
    "arrays": ({"needed": 5, "free": np.array([1, 2, 4])}, [1.0, 4.0, 1.0]),
    "lists with gaps": ({"needed": [5, 9, None], "free": [1, 2, 3]}, [np.inf, 4.0, np.inf]),
    "one number is missing": ({"needed": 5, "free": None}, [np.inf] * 3),
    "two numbers for all": ({"needed": 5, "free": 3}, [2.0] * 3),
    "words": ({"needed": "a", "free": "b"}, [np.inf] * 3),
}


@pytest.mark.parametrize(("columns", "misses"), KINDS.values(), ids=KINDS)
def test_by_how_much_rows_of_kinds_missed(columns, misses):
    assert Reasons("x", **columns).spread(index(2, 0, 2)).misses(3).tolist() == misses


def test_rows_of_one_kind_are_told_the_same():
    reasons = Reasons(
        ["full", "gone"],
        curable=(True, False),
        unit=["MiB", "cards"],
        text=["{zone}", "{free}"],
        not_known=["", "price"],
        needed=5,
        free=[1, 2],
        zone=["a", "b"],
    )

    told = list(reasons.spread(index(1, 0, 1)).each(3, "mine"))

    assert told == [reasons.at(place, "mine") for place in (1, 0, 1)]
    assert told[0] is told[2]
    assert [each.message for each in told] == ["2", "a", "2"]
    assert told[:2] == list(reasons.each(2, "mine"))[::-1]


UNEQUAL = {
    "details": Reasons("x", zone=["a", "b"], rack=[1, 2, 3]),
    "one detail": Reasons("x", zone=["a"]),
    "codes": Reasons(["x"]),
    "of kinds": Reasons("x").spread(index(0)),
}


@pytest.mark.parametrize("reasons", UNEQUAL.values(), ids=UNEQUAL)
def test_reasons_for_other_rows_than_were_refused_are_an_error(reasons):
    with pytest.raises(ValueError, match=r"zip\(\) argument \d is (shorter|longer)"):
        list(Refusal("mine", [4, 7], reasons))


def test_codes_and_facts_of_different_lengths_are_an_error():
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter"):
        list(Reasons(["a", "b"], not_known=["x"]).said(2))
