import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.requests.messages import Conversation, plain_text


def test_role_and_content_with_nothing_between():
    conversation = Conversation()
    conversation.add_content("be brief")
    conversation.add_messages(
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None}], "body.messages"
    )

    assert conversation.text == b"be briefuserhiassistant"
    assert conversation.media == []


CONTENTS = {
    "text parts": ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], b"userab", []),
    "every part with a text counts": ([{"type": "input_text", "text": "a"}, {"text": "b"}], b"userab", []),
    "a picture by URL": ([{"type": "image_url", "image_url": {"url": "u"}}], b"user", ["u"]),
    "a picture whose URL is a text": ([{"type": "input_image", "image_url": "u"}], b"user", ["u"]),
    "a film and a sound": ([{"video_url": {"url": "v"}}, {"audio_url": {"url": "a"}}], b"user", ["v", "a"]),
    "Anthropic's picture": ([{"type": "image", "source": {"type": "url", "url": "u"}}], b"user", ["u"]),
    "a picture in the body": ([{"type": "image", "source": {"type": "base64", "data": "x"}}], b"user", []),
    "parts that are no mappings": (["x", 3], b"user", []),
    "a text that is none": ([{"text": 3}], b"user", []),
    "a number": (3, b"user", []),
}


@pytest.mark.parametrize(("content", "text", "media"), CONTENTS.values(), ids=CONTENTS)
def test_content(content, text, media):
    conversation = Conversation()
    conversation.add_messages([{"role": "user", "content": content}], "body.messages")

    assert (conversation.text, conversation.media) == (text, media)


REFUSED = {
    "no list": ("hi", "body.messages: is a str"),
    "a message that is a text": (["hi"], "body.messages[0]: is a str"),
}


@pytest.mark.parametrize(("messages", "beginning"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_conversation(messages, beginning):
    with pytest.raises(InputError) as caught:
        Conversation().add_messages(messages, "body.messages")

    assert str(caught.value).startswith(beginning)


PLAIN = {
    "roles and texts": ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "é"}], "userhiassistanté"),
    "a part that is no text": ([{"role": "user", "content": [{"text": "hi"}]}], None),
    "no content": ([{"role": "assistant"}], None),
    "a role that is no text": ([{"role": 1, "content": "hi"}], None),
    "a message that is a text": (["hi"], None),
    "no list": ("hi", None),
}


@pytest.mark.parametrize(("messages", "text"), PLAIN.values(), ids=PLAIN)
def test_what_is_nothing_but_text(messages, text):
    assert plain_text(messages) == (None if text is None else text.encode())
