import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.requests.parsed_body import ParsedBody
from bayplan.routing.requests.parsers.anthropic_parser import AnthropicParser
from bayplan.routing.requests.parsers.openai_parser import OpenaiParser
from bayplan.routing.requests.parsers.passthrough_parser import PassthroughParser
from bayplan.routing.requests.parsers.sglanghttp_parser import SglanghttpParser
from bayplan.routing.requests.parsers.vertexai_parser import VertexaiParser
from bayplan.routing.requests.parsers.vllmgrpc_parser import VllmgrpcParser
from bayplan.routing.requests.parsers.vllmhttp_parser import VllmhttpParser
from bayplan.routing.requests.routed_request import Prompt

OPENAI, ANTHROPIC, VLLM, SGLANG = OpenaiParser(), AnthropicParser(), VllmhttpParser(), SglanghttpParser()
MESSAGES = [{"role": "user", "content": "hi"}]
TEXT = (Prompt(text=b"userhi"),)

READ = {
    "completions": (
        OPENAI, "/v1/completions", {"model": "m", "prompt": "hi", "max_tokens": 5, "stream": True, "cache_salt": "s"},
        ParsedBody((Prompt(text=b"hi"),), (), "m", 5, True, "s"),
    ),
    "chat": (OPENAI, "/v1/chat/completions", {"model": "m", "messages": MESSAGES, "max_completion_tokens": 7},
             ParsedBody(TEXT, (), "m", 7)),
    "responses, a text": (
        OPENAI, "/v1/responses", {"model": "m", "input": "hi", "instructions": "be ", "max_output_tokens": 3},
        ParsedBody((Prompt(text=b"be hi"),), (), "m", 3),
    ),
    "responses, items": (OPENAI, "/v1/responses", {"model": "m", "input": MESSAGES}, ParsedBody(TEXT, (), "m")),
    "conversations": (OPENAI, "/v1/conversations", {"model": "m", "items": MESSAGES}, ParsedBody(TEXT, (), "m")),
    "embeddings": (OPENAI, "/v1/embeddings", {"model": "m", "input": [[1, 2], [3]]},
                   ParsedBody((Prompt((1, 2)), Prompt((3,))), (), "m")),
    "no model": (OPENAI, "/v1/completions", {"prompt": "hi"}, ParsedBody((Prompt(text=b"hi"),))),
    "an empty model is none": (
        OPENAI, "/v1/completions", {"prompt": "hi", "model": ""}, ParsedBody((Prompt(text=b"hi"),)),
    ),
    "a limit that is no number is the engine's to refuse": (
        OPENAI, "/v1/completions", {"prompt": "hi", "max_tokens": "many", "stream": "yes", "cache_salt": 3},
        ParsedBody((Prompt(text=b"hi"),)),
    ),
    "messages": (ANTHROPIC, "/v1/messages", {"model": "m", "system": "be ", "messages": MESSAGES, "max_tokens": 9},
                 ParsedBody((Prompt(text=b"be userhi"),), (), "m", 9)),
    "system as parts": (
        ANTHROPIC, "/v1/messages/count_tokens", {"model": "m", "system": [{"text": "be "}], "messages": MESSAGES},
        ParsedBody((Prompt(text=b"be userhi"),), (), "m"),
    ),
    "vLLM": (VLLM, "/inference/v1/generate", {"model": "m", "token_ids": [1, 2], "sampling_params": {"max_tokens": 4}},
             ParsedBody((Prompt((1, 2)),), (), "m", 4)),
    "vLLM without sampling": (VLLM, "/inference/v1/generate", {"model": "m", "token_ids": [1]},
                              ParsedBody((Prompt((1,)),), (), "m")),
    "SGLang": (
        SGLANG, "/generate", {"input_ids": [[1], [2, 3]], "sampling_params": {"max_new_tokens": 4}, "stream": True},
        ParsedBody((Prompt((1,)), Prompt((2, 3))), (), None, 4, True),
    ),
    "SGLang without sampling": (SGLANG, "/generate", {"input_ids": [1]}, ParsedBody((Prompt((1,)),))),
}  # fmt: skip


@pytest.mark.parametrize(("parser", "path", "body", "parsed"), READ.values(), ids=READ)
def test_read(parser, path, body, parsed):
    assert path in parser.paths
    assert parser.read(path, body) == parsed


REFUSED = {
    "no prompt": (OPENAI, "/v1/completions", {"model": "m", "messages": MESSAGES}, "body.prompt: is missing"),
    "an empty prompt": (OPENAI, "/v1/completions", {"prompt": ""}, "body.prompt: is empty"),
    "an empty list": (OPENAI, "/v1/chat/completions", {"messages": []}, "body.messages: is empty"),
    "null": (OPENAI, "/v1/responses", {"input": None}, "body.input: is empty"),
    "no items": (OPENAI, "/v1/conversations", {}, "body.items: is missing"),
    "a model that is no text": (OPENAI, "/v1/completions", {"prompt": "x", "model": 3}, "body.model: is a int"),
    "no messages": (ANTHROPIC, "/v1/messages", {"prompt": "x"}, "body.messages: is missing"),
    "no ids": (VLLM, "/inference/v1/generate", {"prompt": "x"}, "body.token_ids: is missing"),
    "ids that are text": (VLLM, "/inference/v1/generate", {"token_ids": "x"}, "body.token_ids: is no list"),
    "no input ids": (SGLANG, "/generate", {"text": "x"}, "body.input_ids: is missing"),
}


@pytest.mark.parametrize(("parser", "path", "body", "beginning"), REFUSED.values(), ids=REFUSED)
def test_the_mistakes_of_clients(parser, path, body, beginning):
    with pytest.raises(InputError) as caught:
        parser.read(path, body)

    assert str(caught.value).startswith(beginning)


@pytest.mark.parametrize("parser", [PassthroughParser(), VllmgrpcParser(), VertexaiParser()], ids=lambda p: p.name)
def test_opaque_parsers_know_nothing(parser):
    assert parser.opaque
    assert not parser.needs_model
    assert parser.read("/x", {}) == ParsedBody()
