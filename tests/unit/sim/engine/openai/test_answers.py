import json

import pytest

from bayplan.sim.engine.openai.answers import DONE, Answer, model_cards
from bayplan.sim.engine.openai.asked import Asked
from bayplan.sim.engine.tokens import answer as words


def answer(is_chat=True, has_usage=False, output_tokens=3):
    asked = Asked("m", b"prompt", 7, output_tokens, "length", is_chat, True, has_usage)
    return Answer(asked, 'odd "@@@@" name', "42", 1_700_000_000, first_word=5)


def events(data):
    assert data.endswith(b"\n\n")
    return [json.loads(each.removeprefix(b"data: ")) for each in data.split(b"\n\n") if each not in (b"", DONE.strip())]


@pytest.mark.parametrize(("is_chat", "kind"), [(True, "chat.completion"), (False, "text_completion")])
def test_a_whole_answer(is_chat, kind):
    document = json.loads(answer(is_chat).whole(cached_tokens=4))
    (choice,) = document["choices"]
    text = choice["message"]["content"] if is_chat else choice["text"]

    assert (document["object"], document["created"]) == (kind, 1_700_000_000)
    assert document["id"] == ("chatcmpl-42" if is_chat else "cmpl-42")
    assert text == words(5, 0, 3).decode()
    assert (choice["index"], choice["finish_reason"]) == (0, "length")
    assert document["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 4},
    }


@pytest.mark.parametrize("is_chat", [True, False])
def test_a_token_is_framed(is_chat):
    before, after = answer(is_chat).token_frame()
    (event,) = events(before + b" bay" + after)

    assert event["model"] == 'odd "@@@@" name'
    assert event["choices"][0] == {
        "index": 0,
        **({"delta": {"content": " bay"}} if is_chat else {"text": " bay"}),
        "logprobs": None,
        "finish_reason": None,
    }


def test_only_a_chat_says_who_speaks():
    (event,) = events(answer().opening())

    assert event["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert answer(is_chat=False).opening() == b""


def test_the_end_has_the_reason():
    data = answer().ending(cached_tokens=0)
    (event,) = events(data)

    assert data.endswith(DONE)
    assert event["choices"][0]["finish_reason"] == "length"
    assert event["choices"][0]["delta"] == {}


def test_usage_comes_after_the_end_if_it_is_asked_for():
    end, usage = events(answer(has_usage=True).ending(cached_tokens=4))

    assert "usage" not in end
    assert usage["choices"] == []
    assert usage["usage"]["prompt_tokens_details"] == {"cached_tokens": 4}


def test_models_are_listed_with_their_adapters():
    cards = json.loads(model_cards(("a", "b"), "org/a", {"sql": "/sql"}, 4_096, created=5))

    assert cards["object"] == "list"
    assert [(each["id"], each["root"], each["parent"]) for each in cards["data"]] == [
        ("a", "org/a", None),
        ("b", "org/a", None),
        ("sql", "/sql", "a"),
    ]
    assert cards["data"][0]["max_model_len"] == 4_096
