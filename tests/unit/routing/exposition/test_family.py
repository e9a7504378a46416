import pytest

from bayplan.routing.exposition.family import MOST_SERIES, Exposition

NAME = "vllm:num_requests_waiting"


def found(text):
    family = Exposition(text.encode()).family(NAME)
    return [each.value for each in family.series], family.unreadable


READABLE = {
    "a bare value": (f"{NAME} 3\n", [3.0]),
    "labels": (f'{NAME}{{model_name="m",engine="0"}} 3\n', [3.0]),
    "no labels in braces": (f"{NAME}{{}} 3\n", [3.0]),
    "a comma after the last label": (f'{NAME}{{a="b",}} 3\n', [3.0]),
    "blanks around every word": (f'\t {NAME} {{ a = "b" , c = "d" }}  3  17 \t\n', [3.0]),
    "no blank after the braces": (f'{NAME}{{a="b"}}3\n', [3.0]),
    "a timestamp": (f"{NAME} 3 1700000000000\n", [3.0]),
    "a negative timestamp": (f"{NAME} 3 -5\n", [3.0]),
    "a timestamp of OpenMetrics": (f"{NAME} 3 1700000000.123\n", [3.0]),
    "quotes, commas and braces in a label": (f'{NAME}{{a="b \\"c\\", {{d}}",x="}} 99"}} 8\n', [8.0]),
    "a backslash at the end of a label": (f'{NAME}{{a="b\\\\"}} 8\n', [8.0]),
    "a quoted label name": (f'{NAME}{{"a.b"="c"}} 8\n', [8.0]),
    "carriage returns": (f"{NAME} 3\r\n\r\n{NAME} 4\r\n", [3.0, 4.0]),
    "no line end at the end": (f"{NAME} 3", [3.0]),
    "exponents and signs": (f"{NAME} +1.5e+3\n{NAME} .5\n{NAME} 5.\n", [1500.0, 0.5, 5.0]),
    "the name in a help text": (f"# HELP other like {NAME} 3\nother 5\n", []),
    "the name in a label": (f'other{{a="{NAME} 3"}} 5\n', []),
    "longer names": (f"{NAME}_total 50\n{NAME}s 50\n{NAME}:x 50\n", []),
    "a name that ends alike": (f"my{NAME} 50\nx:{NAME} 50\n", []),
    "a comment with a value": (f"# {NAME} 50\n#{NAME} 50\n", []),
    "a declared gauge": (f"# TYPE {NAME} gauge\n{NAME} 5\n", [5.0]),
    "a declared histogram": (f"# TYPE {NAME} histogram\n{NAME} 5\n", []),
    "a summary that is declared late": (f"{NAME} 5\n  #\tTYPE  {NAME}  summary\r\n", []),
    "a histogram of a longer name": (f"# TYPE {NAME}_seconds histogram\n{NAME} 5\n", [5.0]),
    "a help text that says histogram": (f"# HELP {NAME} histogram\n{NAME} 5\n", [5.0]),
    "an empty text": ("", []),
}


@pytest.mark.parametrize(("text", "values"), READABLE.values(), ids=READABLE)
def test_readable(text, values):
    assert found(text) == (values, 0)


UNREADABLE = {
    "no value": f"{NAME}\n",
    "no value after blanks": f"{NAME}  \r\n",
    "the text ends inside a label": f'{NAME}{{engine="1',
    "the text ends after the labels": f'{NAME}{{engine="1"}}',
    "braces that stay open": f'{NAME}{{a="b" 5\n',
    "no comma between labels": f'{NAME}{{a="b" c="d"}} 5\n',
    "a label without quotes": f"{NAME}{{a=b}} 5\n",
    "a word": f"{NAME} many\n",
    "a hexadecimal number": f"{NAME} 0x10\n",
    "underscores": f"{NAME} 1_000\n",
    "a thousand digits": f"{NAME} {'9' * 1000}\n",
    "a timestamp that is a word": f"{NAME} 3 now\n",
    "too many words": f"{NAME} 3 4 5\n",
    "an equals sign": f"{NAME}=3\n",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_line_is_counted_and_the_next_is_read(text):
    assert found(text) == ([], 1)
    assert found(f"{text.rstrip(chr(10))}\n{NAME} 7\n") == ([7.0], 1)


def test_values_that_are_no_numbers_are_read_as_what_they_are():
    values, _ = found(f"{NAME} NaN\n{NAME} +Inf\n{NAME} -inf\n{NAME} 1e999\n{NAME} -3\n")

    assert [str(each) for each in values] == ["nan", "inf", "-inf", "inf", "-3.0"]


def test_labels_without_their_escapes():
    (series,) = Exposition(f'{NAME}{{a="b\\\\c\\"d\\ne",f="ü"}} 1'.encode()).family(NAME).series

    assert series.labels == {"a": 'b\\c"d\ne', "f": "ü"}


def test_bytes_that_are_no_text():
    (series,) = Exposition(NAME.encode() + b'{a="\xff"} 1\n').family(NAME).series

    assert series.labels == {"a": "�"}


def test_more_series_than_are_read():
    family = Exposition(f"{NAME} 1\n".encode() * (MOST_SERIES + 1)).family(NAME)

    assert family.too_many
    assert len(family.series) == MOST_SERIES


def test_exactly_as_many_series_as_are_read():
    assert not Exposition(f"{NAME} 1\n".encode() * MOST_SERIES).family(NAME).too_many
