"""Logs as they are asked for."""

import asyncio

import pytest

from bayplan.runtimes.processes.log_reader import LogQuery, read_log
from bayplan.runtimes.processes.log_server import log_query
from bayplan.runtimes.processes.rotated_log import RotatedLog


def read(path, ended=lambda: True, **query):
    async def collected():
        return b"".join([piece async for piece in read_log(path, LogQuery(**query), ended)])

    return asyncio.run(collected()).decode()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "0.log"


def write(path, *numbers, size=100_000):
    log = RotatedLog(path, size, 4)
    for number in numbers:
        log.write(b"line %d\n" % number)
    log.close()


def test_all_files_are_read_in_order(path):
    write(path, *range(10), size=150)

    assert read(path) == "".join(f"line {number}\n" for number in range(10))


@pytest.mark.parametrize("tail", [0, 1, 2, 3, 5, 9, 10, 11, 1000])
def test_the_end_is_found_over_files(path, tail):
    write(path, *range(10), size=150)

    assert read(path, tail=tail) == "".join(f"line {number}\n" for number in range(max(0, 10 - tail), 10))


def test_the_end_of_a_large_file(path):
    write(path, *range(5000), size=10_000_000)

    assert read(path, tail=3) == "line 4997\nline 4998\nline 4999\n"


def test_parts_are_joined(path):
    path.write_bytes(b"2026-01-01T00:00:00.1Z P wor\n2026-01-01T00:00:00.2Z F ld\n")

    assert read(path) == "world\n"


def test_lines_since_a_time(path):
    path.write_bytes(b"2026-01-01T00:00:00.5Z F old\n2026-01-01T00:00:01.5Z F new\n")

    assert read(path, since="2026-01-01T00:00:01") == "new\n"


def test_times_and_limits(path):
    path.write_bytes(b"2026-01-01T00:00:00.5Z F hello\n")

    assert read(path, timestamps=True) == "2026-01-01T00:00:00.5Z hello\n"
    assert read(path, limit_bytes=3) == "hel"
    assert read(path, limit_bytes=0) == ""


def test_a_log_that_is_not_there_is_empty(path):
    assert read(path) == ""


def test_a_log_is_followed_over_new_files(path):
    async def followed():
        log, over, seen = RotatedLog(path, 150, 4), False, []
        log.write(b"line 0\n")
        reader = read_log(path, LogQuery(follow=True), lambda: over)
        seen.append(await anext(reader))
        for number in range(1, 10):
            log.write(b"line %d\n" % number)
        over = True
        log.close()
        seen += [piece async for piece in reader]
        return b"".join(seen).decode()

    assert asyncio.run(followed()) == "".join(f"line {number}\n" for number in range(10))


def test_half_a_line_is_waited_for(path):
    async def followed():
        path.write_bytes(b"2026-01-01T00:00:00.1Z F one\n2026-01-01T00:")
        over = False
        reader = read_log(path, LogQuery(follow=True), lambda: over)
        first = await anext(reader)
        with path.open("ab") as stream:
            stream.write(b"00:00.2Z F two\n")
        over = True
        return first + b"".join([piece async for piece in reader])

    assert asyncio.run(followed()) == b"one\ntwo\n"


def test_parameters_of_a_request():
    query = {"tailLines": "5", "sinceSeconds": "60", "timestamps": "true", "limitBytes": "x", "follow": "true"}

    found = log_query(query, 1_767_225_660.0)

    assert found == LogQuery(tail=5, since="2026-01-01T00:00:00", timestamps=True, follow=True)
