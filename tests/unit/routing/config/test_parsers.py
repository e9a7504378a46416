"""Who reads requests."""

import pytest

from unit.routing.config.documents import picker, problems, read, told, warnings


def parsers(*names):
    return {"requestHandler": {"parsers": [{"pluginRef": each} for each in names]}}


USUAL = ["openai-parser", "anthropic-parser", "vllmhttp-parser", "passthrough-parser"]
FOUND = {
    "none listed": (picker("queue-scorer"), USUAL),
    "an empty list": (picker("queue-scorer", **parsers()), USUAL),
    "a declared one has its parameters": (picker("queue-scorer", "openai-parser"), USUAL),
    "listed": (
        picker("anthropic-parser", "openai-parser", **parsers("anthropic-parser", "openai-parser")),
        ["anthropic-parser", "openai-parser"],
    ),
    "in its old place": (picker("anthropic-parser", parser={"pluginRef": "anthropic-parser"}), ["anthropic-parser"]),
    "behind one that takes all": (
        picker("passthrough-parser", "openai-parser", **parsers("passthrough-parser", "openai-parser")),
        ["passthrough-parser"],
    ),
}


@pytest.mark.parametrize(("document", "wanted"), FOUND.values(), ids=FOUND)
def test_parsers(document, wanted):
    assert list(read(document).parsers) == wanted


def test_what_is_skipped_is_told():
    document = picker(told("passthrough-parser", "all"), "openai-parser", **parsers("all", "openai-parser"))

    assert "'openai-parser' is skipped" in warnings(document)["requestHandler.parsers[1]"]


REFUSED = {
    "another kind": (
        picker("max-score-picker", **parsers("max-score-picker")),
        "requestHandler.parsers[0].pluginRef",
        "'max-score-picker'",
    ),
    "not declared": (
        picker("queue-scorer", **parsers("openai-parser")),
        "requestHandler.parsers[0].pluginRef",
        "'openai-parser'",
    ),
    "in its old place": (picker("queue-scorer", parser={"pluginRef": "x"}), "parser.pluginRef", "'x'"),
}


@pytest.mark.parametrize(("document", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]
