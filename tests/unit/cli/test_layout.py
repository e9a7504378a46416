import pytest

from bayplan.cli.layout import Sheet, cells, laid_out

SHEET = Sheet(
    ("WORKER", "CHECK", "NEEDED", "UNIT", "WHY"),
    [
        ("ampere-0", "gpu-memory-short", "135.3", "GiB", "needs 138506 MiB on each of 4 cards, 81920 MiB are free"),
        ("", "gpu-model-mismatch", "-", "-", "has no card of model NVIDIA-H100-80GB-HBM3"),
    ],
    sentences=("WHY",),
    spare=(("NEEDED", "UNIT"),),
)  # fmt: skip
WORDS = {word for row in (SHEET.header, *SHEET.rows) for cell in row for word in cell.split()}

WIDTHS = {
    "wide enough":          (140, "WORKER    CHECK               NEEDED  UNIT  WHY"),
    "a sentence wraps":     (90, "WORKER    CHECK               NEEDED  UNIT  WHY"),
    "columns are left out": (60, "WORKER    CHECK               WHY"),
    "records":              (40, "WORKER: ampere-0"),
}  # fmt: skip


@pytest.mark.parametrize(("width", "first"), WIDTHS.values(), ids=WIDTHS)
def test_a_sheet_keeps_to_the_width_and_breaks_no_word(width, first):
    lines = laid_out(SHEET, width, spare=True)

    assert lines[0] == first
    assert max(map(len, lines)) <= width
    words = " ".join(lines).replace(":", "").split()
    left_out = {"NEEDED", "UNIT", "135.3", "GiB", "-"} if width <= 60 else set()
    assert WORDS - left_out <= set(words)


def test_nothing_is_left_out_where_everything_was_asked_for():
    lines = laid_out(SHEET, 60, spare=False)

    assert "NEEDED: 135.3" in lines
    assert lines[0] == "WORKER: ampere-0"


def test_records_are_apart_and_leave_out_empty_cells():
    lines = laid_out(Sheet(("A", "B"), [("x" * 9, "y"), ("", "z")]), 8, spare=True)

    assert lines == ["A:", "  xxxxxxxxx", "B: y", "", "B: z"]


def test_a_word_that_is_wider_than_the_terminal_stays_whole():
    lines = laid_out(Sheet(("NAME",), [("n" * 50,)]), 20, spare=True)

    assert "  " + "n" * 50 in lines


def test_columns_line_up_below_letters_that_take_two_places():
    lines = laid_out(Sheet(("A", "B"), [("中文", "x"), ("a", "y")]), 80, spare=True)

    assert [cells(line[: line.rindex(last)]) for line, last in zip(lines[1:], "xy", strict=True)] == [6, 6]


def test_a_sheet_without_rows_is_its_header():
    assert laid_out(Sheet(("A", "B"), []), 80, spare=True) == ["A  B"]
