"""The log."""

import io
import json
import logging

import pytest

from bayplan.telemetry.log import DECISIONS, LogForm, log_to_stderr, origin, plain


@pytest.fixture
def stream():
    logger = logging.getLogger("bayplan")
    before = logger.handlers[:], logger.level, logger.propagate
    yield io.StringIO()
    logger.handlers[:], logger.level, logger.propagate = before
    logging.getLogger(DECISIONS).setLevel(logging.NOTSET)


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


ABOUT = {"record": "17-4", "object": "pods default/a"}


def lines(stream) -> list:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_what_a_line_is_about_follows_its_message(stream) -> None:
    log_to_stderr(stream=stream)
    logging.getLogger("bayplan.x").info("bound", extra=ABOUT)
    assert stream.getvalue().endswith("Z INFO bound record=17-4 object=pods default/a\n")


def test_json_has_one_object_a_line(stream) -> None:
    log_to_stderr(form=LogForm.JSON, stream=stream)
    logging.getLogger("bayplan.x").warning('it "failed"\nhere', extra=ABOUT)
    logging.getLogger("bayplan.y").error("again", exc_info=fail())
    first, second = lines(stream)

    assert first.pop("ts") <= second.pop("ts")
    assert first == {"level": "warning", "logger": "bayplan.x", "msg": 'it "failed" here', **ABOUT}
    assert second == {"level": "error", "logger": "bayplan.y", "msg": "again", "error": "KeyError"}


def test_json_tells_the_time_in_utc(stream) -> None:
    log_to_stderr(form=LogForm.JSON, stream=stream)
    record = logging.makeLogRecord({"name": "bayplan.x", "created": 0.0, "msg": "m", "levelno": 20})
    logging.getLogger("bayplan.x").handle(record)
    assert lines(stream)[0]["ts"] == "1970-01-01T00:00:00.000Z"


@pytest.mark.parametrize("form", LogForm)
def test_no_form_shows_tokens_or_texts_of_exceptions(stream, form) -> None:
    log_to_stderr(form=form, stream=stream)
    hidden = {"record": "bayplan_abcdefghij_SECRETSECRET", "object": "Bearer SECRETSECRET"}
    logging.getLogger("bayplan.x").error("Bearer SECRETSECRET", extra=hidden, exc_info=fail())

    assert "SECRET" not in stream.getvalue()
    assert "hunter2" not in stream.getvalue()
    assert stream.getvalue().count("\n") == 1


def test_json_with_debug_has_frames(stream) -> None:
    log_to_stderr(debug=True, form=LogForm.JSON, stream=stream)
    logging.getLogger("bayplan.x").debug("m", exc_info=fail())
    assert "in fail" in lines(stream)[0]["trace"]


SHOWN = {
    "people": (LogForm.TEXT, False, 0),
    "people who look for a fault": (LogForm.TEXT, True, 1),
    "programs": (LogForm.JSON, False, 1),
}


@pytest.mark.parametrize(("form", "debug", "shown"), SHOWN.values(), ids=SHOWN)
def test_single_decisions_are_for(stream, form, debug, shown) -> None:
    log_to_stderr(form=form, debug=debug, stream=stream)
    logging.getLogger(DECISIONS).info("bound", extra=ABOUT)
    assert stream.getvalue().count("\n") == shown
