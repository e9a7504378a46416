from bayplan.library.status.documents import generation_of, number, part, with_fields


def test_parts_of_odd_documents():
    assert part({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert part({"a": "text"}, "a", "b") == part({}, "a") == part({"a": [1]}, "a") == {}
    assert (number(3), number(True, 7), number("3", 7), number(None)) == (3, 7, 7, 0)
    assert (generation_of({"metadata": {"generation": 2}}), generation_of({})) == (2, 0)


def test_fields_that_are_not_known_any_more_go():
    assert with_fields({"a": 1, "b": None, "c": 3}, a=None, d=4) == {"b": None, "c": 3, "d": 4}
