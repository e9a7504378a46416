"""Python literals are read as data; whatever is none is refused."""

import ast

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.literals import MAX_DEPTH, MAX_LENGTH, read_literal

READ = {
    "dict":          "{'count': '2', 'model': 'TITAN X (Pascal)'}",
    "empty":         "{}",
    "nested":        "{'a': {'b': ['c', {'d': 1}]}}",
    "numbers":       "[0, -1, +2, 1.5, .5, 1e3, 12.0]",
    "words":         "[True, False, None]",
    "both quotes":   """["it's", 'say "x"']""",
    "escapes":       r"['a\'b', 'c\\d', 'e\nf']",
    "trailing":      "[1, 2,]",
    "spaces":        "  { 'a' :\n 1 }  ",
    "marks in text": "['(', '{', ',', ':']",
}  # fmt: skip


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_means_what_it_means_in_python(text):
    assert read_literal(text, "p") == ast.literal_eval(text.strip())


def test_tuples_are_lists():
    assert read_literal("[(18477, '11094MB'), ()]", "p") == [[18477, "11094MB"], []]


def test_json_is_read_too():
    assert read_literal('{"a": true, "b": [null, 1.5]}', "p") == {"a": True, "b": [None, 1.5]}


def test_keys_are_texts():
    assert read_literal("{1: 2}", "p") == {"1": 2}


REFUSED = {
    "a call":             "__import__('os').getcwd()",
    "a name":             "{'a': os}",
    "an operator":        "1 + 1",
    "a comprehension":    "[x for x in (1, 2)]",
    "cut off":            "{'mem_used': ",
    "never closed text":  "{'a': 'b",
    "never closed list":  "[1, 2",
    "closed otherwise":   "[1, 2)",
    "no colon":           "{'a', 'b'}",
    "two commas":         "[1,,2]",
    "a key in a list":    "{[1]: 2}",
    "two values":         "1 2",
    "a prefix":           "b'x'",
    "f-string":           "f'{x}'",
    "NaN":                "nan",
    "not finite":         "[inf]",
    "nothing":            "",
    "only a mark":        ":",
    "digits in a row":    "9" * 65,
    "joined":             "1x",
    "too deep":           "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    "a bomb of brackets": "[" * MAX_LENGTH,
    "a bomb of minuses":  "-" * MAX_LENGTH,
    "a bomb of quotes":   "'" * MAX_LENGTH,
    "too long":           "[" + "1," * MAX_LENGTH + "]",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_refused_with_place_and_next_step(text):
    with pytest.raises(InputError) as caught:
        read_literal(text, "a.b")

    assert caught.value.place == "a.b"
    assert caught.value.next
    assert len(str(caught.value)) < 300


def test_the_deepest_that_is_read():
    assert read_literal("[" * MAX_DEPTH + "]" * MAX_DEPTH, "p") != []


def test_an_exponent_that_overflows_is_no_number_to_rely_on():
    with pytest.raises(InputError):
        read_literal("1e999", "p")


def test_what_is_no_text_is_itself():
    assert read_literal({"a": 1}, "p") == {"a": 1}
