import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest
import yaml

from bayplan.cli.output import Sheet, emit

DOCUMENT = {"kind": "Test", "b": 1, "a": [None, "yes", "ä", 0.5]}
SHEET = Sheet(("NAME", "SIZE", "NOTE"), [("one", "1", "first"), ("two", "22", "second")], wide=1)

PRINTED = {
    "table": "intro\nNAME  SIZE\none   1\ntwo   22\n",
    "wide":  "intro\nNAME  SIZE  NOTE\none   1     first\ntwo   22    second\n",
}  # fmt: skip


@pytest.mark.parametrize("output", PRINTED)
def test_people_get_text_and_tables(output, capsys):
    emit(DOCUMENT, output, "intro", SHEET)

    assert capsys.readouterr() == (PRINTED[output], "")


@pytest.mark.parametrize(("output", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_programs_get_the_document_alone_in_its_order(output, load, capsys):
    emit(DOCUMENT, output, "intro", SHEET)

    out = capsys.readouterr().out
    assert load(out) == DOCUMENT
    assert list(load(out)) == list(DOCUMENT)
    assert "ä" in out


ESCAPED = {"table": "intro \\xe4\n", "json": '"\\u00e4"', "yaml": '"\\xE4"'}


@pytest.mark.parametrize("output", ESCAPED)
def test_a_stdout_without_umlauts_gets_escapes(output, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))

    emit(DOCUMENT, output, "intro ä")

    sys.stdout.flush()
    assert ESCAPED[output] in raw.getvalue().decode("ascii")


COLOURS = {
    "a terminal":          ([], {"TERM": "xterm"}, True),
    "--no-color":          (["--no-color"], {"TERM": "xterm"}, False),
    "NO_COLOR":            ([], {"TERM": "xterm", "NO_COLOR": "1"}, False),
    "NO_COLOR is empty":   ([], {"TERM": "xterm", "NO_COLOR": ""}, True),
    "a dumb terminal":     ([], {"TERM": "dumb"}, False),
}  # fmt: skip


@pytest.mark.parametrize(("flags", "variables", "coloured"), COLOURS.values(), ids=COLOURS)
def test_colours_are_for_terminals_that_want_them(flags, variables, coloured):
    shown = _on_a_terminal(["plugins", *flags], variables | {"COLUMNS": "120"})

    assert ("\x1b[" in shown) is coloured
    assert re.search(r"max-score +picker +built-in", shown)


def _on_a_terminal(words, variables):
    """What a person would see who runs the command."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    ours, theirs = pty.openpty()
    command = subprocess.Popen(
        [sys.executable, "-m", "bayplan", *words], stdin=theirs, stdout=theirs, env=inherited | variables
    )
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert command.wait() == 0
    return shown.decode()


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says EIO when the other side has closed
        return b""
