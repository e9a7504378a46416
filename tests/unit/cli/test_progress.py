import io
import sys
import time

import pytest

from bayplan.cli.progress import told_when_slow


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watched(monkeypatch):
    """Stderr is a terminal; called by each test, for pytest sets stderr anew after fixtures have run."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def wait_until(is_so):
    for _ in range(1000):
        if is_so():
            return
        time.sleep(0.01)


def fail_once(is_so):
    wait_until(is_so)
    raise KeyError("x")


def test_what_is_slow_is_told_and_wiped_away(monkeypatch):
    terminal = watched(monkeypatch)

    with told_when_slow("planning", patience_s=0):
        wait_until(lambda: "planning ..." in terminal.getvalue())

    assert terminal.getvalue() == "planning ...\r\x1b[K"


def test_what_is_quick_is_not(monkeypatch):
    terminal = watched(monkeypatch)

    with told_when_slow("planning", patience_s=600):
        pass

    assert terminal.getvalue() == ""


def test_a_pipe_is_never_told(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    with told_when_slow("planning", patience_s=0):
        time.sleep(0.05)

    assert sys.stderr.getvalue() == ""


def test_a_problem_inside_gets_out_and_the_word_is_wiped_away(monkeypatch):
    terminal = watched(monkeypatch)

    with pytest.raises(KeyError), told_when_slow("planning", patience_s=0):
        fail_once(lambda: "planning ..." in terminal.getvalue())

    assert terminal.getvalue().endswith("\r\x1b[K")
