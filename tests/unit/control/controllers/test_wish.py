from bayplan.control.controllers.wish import Wanted, Wish, digest_of, label_value, plain


def test_digests_depend_on_what_is_said_not_on_the_order():
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})
    assert digest_of({"a": 1}) == "4h7x7lwfj2"


def test_names_as_labels():
    long = "x" * 100

    assert label_value("chat") == "chat"
    assert len(label_value(long)) == 63
    assert label_value(long) != label_value(long + "y")


def test_the_number_of_all_sets():
    assert Wish((Wanted("a", 2, {}), Wanted("b", 3, {}))).count == 5
    assert Wish().count == 0


def test_what_says_nothing_is_left_out():
    written = {"a": None, "b": {}, "c": [], "d": "", "e": 0, "f": False, "g": [{"h": None, "i": 1}], "j": {"k": {}}}

    assert plain(written) == {"e": 0, "f": False, "g": [{"i": 1}]}
