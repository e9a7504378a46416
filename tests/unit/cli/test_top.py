import io

import pytest
from rich.console import Console

from bayplan.cli.gateway.relay_admin import NoRelayError
from bayplan.cli.server.relay_folder import RelayFolder
from bayplan.cli.top import follow
from unit.cli.small_admin import endpoint, small_admin

BUSY = endpoint(
    "chat-1", metrics={"waiting": 3.0, "running": 8.0, "kvCacheUsage": 0.625},
    answered=1200, requestsPerSecond=12.34, ttftSecondsP50=1.2345, prefixHitRate=0.5,
)  # fmt: skip
DOCUMENT = {"endpoints": [BUSY, endpoint("chat-0", ready=False)], "held": 2}
TABLE = """\
ENDPOINT  READY  WAITING  RUNNING  IN FLIGHT  KV   HITS  TTFT      REQ/S  ANSWERED
chat-0    no     -        -        0          -    -     -         0.0    0
chat-1    yes    3        8        0          62%  50%   1,234 ms  12.3   1200
2 requests held by the relay until an engine is free
"""


def test_a_pipe_gets_one_table(alone):
    with small_admin(DOCUMENT) as server:
        said = alone("top", "--relay", server.url)

    assert (said.status, said.out) == (0, TABLE)


def test_the_relay_of_the_data_folder_is_found(alone, tmp_path):
    folder = RelayFolder(tmp_path / "data")
    folder.path.mkdir(parents=True)
    with small_admin(DOCUMENT) as server:
        folder.printed.write_text(f"admin {server.url}\n")

        assert alone("top", "--once").out == TABLE
        assert alone("top", "-o", "json").json == DOCUMENT


def test_no_endpoints(alone):
    with small_admin({"endpoints": [], "held": 4}) as server:
        assert "knows no endpoints; 4 requests wait" in alone("top", "--relay", server.url).out


def test_no_relay(alone):
    said = alone("top")

    assert said.status == 1
    assert "no relay was started here; name its admin URL" in said.err


class Rounds:
    """Answers one after the other; Ctrl-C comes after the last."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def pause(self):
        if not self.answers:
            raise KeyboardInterrupt

    def ask(self):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def test_a_terminal_is_refreshed_until_it_is_interrupted(screen):
    rounds = Rounds(NoRelayError("no relay answers", place="http://a:1"), {**DOCUMENT, "held": 7})

    follow(rounds.ask, DOCUMENT, screen, rounds.pause)

    shown = screen.file.getvalue()
    for each in ("2 requests held", "http://a:1: no relay answers", "7 requests held"):
        assert each in shown
    assert shown.count("ENDPOINT") >= 3
