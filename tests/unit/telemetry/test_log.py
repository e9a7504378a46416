"""The log."""

import io
import logging

import pytest

from bayplan.telemetry.log import log_to_stderr, origin, plain


@pytest.fixture
def stream():
    logger = logging.getLogger("bayplan")
    before = logger.handlers[:], logger.level, logger.propagate
    yield io.StringIO()
    logger.handlers[:], logger.level, logger.propagate = before


def fail() -> Exception:
    try:
        {}["hunter2"]
    except KeyError as error:
        return error


def test_one_line_without_traceback(stream) -> None:
    log_to_stderr(stream=stream)
    logging.getLogger("bayplan.x").error("it\nfailed \x1b[2J", exc_info=fail())
    assert stream.getvalue().endswith("Z ERROR it failed  [2J\n")
    assert stream.getvalue().count("\n") == 1


def test_tracebacks_with_debug_have_no_texts(stream) -> None:
    log_to_stderr(debug=True, stream=stream)
    logging.getLogger("bayplan.x").error("failed", exc_info=fail())
    assert "in fail" in stream.getvalue()
    assert "KeyError" in stream.getvalue()
    assert stream.getvalue().count("hunter2") == 1  # the line of the test itself


@pytest.mark.parametrize("text", ["bayplan_abcdefghij_SECRETSECRET", "Authorization: Bearer SECRETSECRET"])
def test_tokens_are_hidden(text: str) -> None:
    assert "SECRET" not in plain(text)


def test_lines_have_an_end() -> None:
    assert len(plain("x" * 1_000_000)) < 2_100


def test_origin_names_the_type_alone_where_no_line_is_ours() -> None:
    assert origin(fail()) == "KeyError"
