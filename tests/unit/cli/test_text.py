import pytest

from bayplan.cli.text import columns, one_line

LINES = {
    "plain":           ("all is well", "all is well"),
    "line breaks":     ("first\nsecond\r\n third", "first second third"),
    "terminal codes":  ("\x1b[31mred\x07", "�[31mred�"),
    "lone surrogate":  ("bad \udc80 byte", "bad � byte"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line"), LINES.values(), ids=LINES)
def test_one_line_holds_no_break_and_steers_no_terminal(text, line):
    assert one_line(text) == line


TABLES = {
    "no rows":       ([], ""),
    "aligned":       ([("a", "long"), ("longer", "b")], "a       long\nlonger  b\n"),
    "empty cells":   ([("a", ""), ("", "b")], "a\n   b\n"),
    "unequal rows":  ([("a",), ("b", "c")], "a\nb  c\n"),
    "break in cell": ([("a\nb", "c")], "a b  c\n"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "text"), TABLES.values(), ids=TABLES)
def test_columns_stand_one_below_the_other(rows, text):
    assert columns(rows) == text


def test_columns_are_indented():
    assert columns([("a",), ("b",)], indent="  ") == "  a\n  b\n"
