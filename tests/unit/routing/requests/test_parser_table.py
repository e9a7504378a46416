import pytest

from bayplan.routing.requests.parser_table import MOST_PATHS, ParserTable
from bayplan.routing.requests.parsers.anthropic_parser import AnthropicParser
from bayplan.routing.requests.parsers.openai_parser import OpenaiParser
from bayplan.routing.requests.parsers.passthrough_parser import PassthroughParser
from bayplan.routing.requests.parsers.sglanghttp_parser import SglanghttpParser
from bayplan.routing.requests.parsers.vllmhttp_parser import VllmhttpParser

ALL = (
    ("o", OpenaiParser()),
    ("a", AnthropicParser()),
    ("v", VllmhttpParser()),
    ("s", SglanghttpParser()),
    ("rest", PassthroughParser()),
)

FOUND = {
    "its path": ("/v1/completions", "o"),
    "chat is no completion": ("/v1/chat/completions", "o"),
    "a prefix does not matter": ("/team/a/v1/messages", "a"),
    "the query does not matter": ("/v1/messages?beta=true", "a"),
    "the longest end wins": ("/inference/v1/generate", "v"),
    "a shorter end": ("/generate", "s"),
    "a word in the middle is no end": ("/v1/completions/x", "rest"),
    "nothing of it": ("/v1/audio", "rest"),
}


@pytest.mark.parametrize(("path", "name"), FOUND.values(), ids=FOUND)
def test_find(path, name):
    table = ParserTable(ALL)

    assert [table.find(path).name for _ in range(2)] == [name, name]


def test_a_list_without_a_fallback():
    assert ParserTable(ALL[:1]).find("/v1/messages") is None


def test_what_follows_a_fallback_is_never_asked():
    table = ParserTable((ALL[-1], *ALL[:2]))

    assert table.find("/v1/completions").name == "rest"
    assert table.skipped == ("o", "a")


def test_paths_of_clients_do_not_fill_the_memory():
    table = ParserTable(ALL)
    for number in range(MOST_PATHS + 10):
        table.find(f"/{number}")

    assert len(table._known) <= MOST_PATHS
