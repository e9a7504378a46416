"""Logs in files of limited size."""

import re
from pathlib import Path

import pytest

from bayplan.runtimes.processes.rotated_log import LONGEST_LINE, RotatedLog, older

LINE = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ([FP]) (.*)")


def lines(path):
    return [LINE.fullmatch(line).groups() for line in path.read_bytes().splitlines()]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "0.log"


def test_lines_have_times_whatever_pieces_they_come_in(path):
    log = RotatedLog(path, 10_000, 3)
    for piece in (b"one\ntw", b"o\n", b"", b"three"):
        log.write(piece)
    log.close()

    assert lines(path) == [(b"F", b"one"), (b"F", b"two"), (b"F", b"three")]


def test_a_line_without_an_end_is_written_in_parts(path):
    log = RotatedLog(path, 10_000_000, 3)
    log.write(b"x" * (LONGEST_LINE + 5))
    log.write(b"\n")
    log.close()

    assert [(tag, len(text)) for tag, text in lines(path)] == [(b"P", LONGEST_LINE), (b"F", 5)]


def test_full_files_are_kept_up_to_their_number(path):
    log = RotatedLog(path, 200, 3)
    for number in range(100):
        log.write(b"line %d\n" % number)
    log.close()

    kept = [lines(each) for each in (older(path, 2), older(path, 1), path)]
    assert not older(path, 3).exists()
    assert all(len(each) > 1 for each in kept[:2])
    numbers = [int(text.split()[1]) for each in kept for _, text in each]
    assert numbers == list(range(100 - len(numbers), 100))


def test_a_log_goes_on_where_it_was(path):
    for word in (b"one\n", b"two\n"):
        log = RotatedLog(path, 10_000, 3)
        log.write(word)
        log.close()

    assert [text for _, text in lines(path)] == [b"one", b"two"]


def test_a_full_disk_loses_lines_and_nothing_else():
    log = RotatedLog(Path("/dev/full"), 10_000, 1)

    log.write(b"lost\n")
    log.close()
