"""Tokens are read from the last bytes of an answer."""

import pytest

from bayplan.gateway.relay.messages.usage import UNKNOWN, Usage, usage_of

TAILS = {
    "OpenAI": (b'..."usage":{"prompt_tokens":7,"total_tokens":9,"completion_tokens":2}}', Usage(7, 2)),
    "with spaces": (b'"usage": {"prompt_tokens" : 7, "completion_tokens": 2}', Usage(7, 2)),
    "cached tokens": (
        b'"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":5}}',
        Usage(7, 2, 5),
    ),
    "cached tokens beside the others": (
        b'"usage":{"prompt_tokens":7,"completion_tokens":2,"cached_tokens":5}', Usage(7, 2, 5),
    ),
    "details that are null": (
        b'"usage":{"prompt_tokens":7,"total_tokens":9,"completion_tokens":2,"prompt_tokens_details":null}}',
        Usage(7, 2),
    ),
    "Anthropic": (b'"usage":{"input_tokens":3,"output_tokens":4}', Usage(3, 4)),
    "a stream": (
        (b'data: {"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n'
        b'data: {"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\ndata: [DONE]\n\n'),
        Usage(7, 2),
    ),
    "null": (b'{"usage":null}', UNKNOWN),
    "none": (b'{"prompt_tokens":7}', UNKNOWN),
    "in generated text": (b'{"text":"\\"usage\\":{\\"prompt_tokens\\":7}"}', UNKNOWN),
    "empty": (b"", UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize(("tail", "usage"), TAILS.values(), ids=TAILS)
def test_usage(tail, usage):
    assert usage_of(tail) == usage
