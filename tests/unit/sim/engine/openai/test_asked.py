import json
from typing import ClassVar

import pytest

from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.engine.openai.asked import read_asked, read_document, read_messages, read_prompt
from bayplan.sim.engine.openai.refusals import RefusalError
from bayplan.sim.engine.settings import Settings, Sizes

PROFILE = PROFILES["8b"]
SETTINGS = Settings(("m",), PROFILE, Sizes().limits(PROFILE), model_tokens=100, output_tokens=20)


def asked(is_chat=False, **document):
    base = {"messages": [{"role": "user", "content": "hello"}]} if is_chat else {"prompt": "hello"}
    return read_asked({**base, **document}, SETTINGS, is_chat=is_chat)


def refusal(call, *arguments, **named):
    with pytest.raises(RefusalError) as caught:
        call(*arguments, **named)
    return caught.value


class TestLength:
    def test_is_what_the_client_allows(self):
        assert (asked(max_tokens=7).output_tokens, asked(max_tokens=7).reason) == (7, "length")
        assert asked(is_chat=True, max_completion_tokens=8, max_tokens=7).output_tokens == 8
        assert asked(is_chat=True, max_tokens=7).output_tokens == 7

    def test_without_a_limit(self):
        assert (asked().output_tokens, asked().reason) == (16, "length")
        assert (asked(is_chat=True).output_tokens, asked(is_chat=True).reason) == (20, "stop")

    def test_ends_with_the_context(self):
        assert asked(prompt="x" * 4 * 90).output_tokens == 10
        problem = refusal(asked, prompt="x" * 4 * 90, max_tokens=11)
        assert (
            problem.message == "the longest context has 100 tokens, not room for 90 tokens of prompt and 11 of output"
        )
        assert refusal(asked, prompt="x" * 400).status == 400


class TestPrompt:
    PROMPTS: ClassVar = {
        "a text": ("abcd efgh", b"abcd efgh"),
        "a list of one text": (["abcd"], b"abcd"),
        "token ids": ([1, 2], b"\1\0\0\0\2\0\0\0"),
        "a list of one list of ids": ([[1]], b"\1\0\0\0"),
    }  # fmt: skip

    @pytest.mark.parametrize(("prompt", "text"), PROMPTS.values(), ids=PROMPTS)
    def test_forms(self, prompt, text):
        assert read_prompt({"prompt": prompt}) == text

    @pytest.mark.parametrize("prompt", [None, 5, {}, [], "", [""], ["a", "b"], [-1], [2**32], [True], [1, "a"], [[]]])
    def test_what_is_none(self, prompt):
        problem = refusal(read_prompt, {"prompt": prompt})

        assert (problem.status, problem.param) == (400, "prompt")
        assert problem.message.startswith("prompt: ")


class TestMessages:
    def test_turns_of_one_chat_begin_alike(self):
        first = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]
        more = [*first, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "and?"}]

        assert read_messages({"messages": more}).startswith(read_messages({"messages": first}))

    def test_parts_are_joined_and_nothing_is_allowed(self):
        parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
        messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": None}]

        assert read_messages({"messages": messages}) == b"<|user|>a\nb<|assistant|><|assistant|>"

    def test_tools_come_first(self):
        messages = [{"role": "user", "content": "x"}]

        assert read_messages({"messages": messages, "tools": [{"a": 1}]}).startswith(b'[{"a":1}]<|user|>')

    WRONG: ClassVar = {
        "none": (None, "messages: must be a list of at least one message"),
        "empty": ([], "messages: must be a list of at least one message"),
        "no object": (["x"], "messages[0].role: must be a text"),
        "no role": ([{"content": "x"}], "messages[0].role: must be a text"),
        "a number": ([{"role": "user", "content": 5}], "messages[0].content: must be a text or a list of parts"),
        "an image": (
            [{"role": "user", "content": [{"type": "image_url"}]}],
            "messages[0].content: only parts of type text are simulated",
        ),
    }

    @pytest.mark.parametrize(("messages", "message"), WRONG.values(), ids=WRONG)
    def test_what_is_none(self, messages, message):
        assert refusal(read_messages, {"messages": messages}).message == message


WRONG = {
    "n": ({"n": 2}, "n: only 1 is simulated"),
    "n is no number": ({"n": "1"}, "n: must be a whole number"),
    "max_tokens": ({"max_tokens": 0}, "max_tokens: must be at least 1"),
    "a part of a token": ({"max_tokens": 1.5}, "max_tokens: must be a whole number"),
    "true": ({"max_tokens": True}, "max_tokens: must be a whole number"),
    "stream": ({"stream": "yes"}, "stream: must be true or false"),
    "model": ({"model": 5}, "model: must be a text"),
    "options": ({"stream": True, "stream_options": 1}, "stream_options: an object, and only with stream"),
    "options alone": ({"stream_options": {}}, "stream_options: an object, and only with stream"),
    "include_usage": ({"stream": True, "stream_options": {"include_usage": 1}}, "include_usage: must be true or false"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "message"), WRONG.values(), ids=WRONG)
def test_fields_that_cannot_be(document, message):
    assert refusal(asked, **document).message == message


def test_fields_without_a_meaning_here_are_taken():
    assert asked(temperature=0.3, stop=["x"], logprobs=5, top_p="odd", user=[1]).output_tokens == 16


def test_streams():
    assert not asked().is_stream
    found = asked(stream=True, stream_options={"include_usage": True})
    assert (found.is_stream, found.has_usage) == (True, True)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"5", b'{"a": NaN}', b"\xff", b"[" * 100_000])
def test_bodies_that_are_no_object(body):
    assert refusal(read_document, body).message.startswith("body: ")


def test_a_body_is_json():
    assert read_document(json.dumps({"a": "é"}).encode()) == {"a": "é"}
