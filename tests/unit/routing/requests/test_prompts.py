import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.requests.prompts import id_prompts_of, ids_of, prompts_of
from bayplan.routing.requests.routed_request import Prompt

READ = {
    "a text": ("hello world", [3]),
    "a text of three-byte letters": ("€€", [2]),
    "ids": ([7, 8, 9], [3]),
    "two texts": (["hello", "hi"], [2, 1]),
    "lists of ids": ([[1, 2], [3]], [2, 1]),
    "a text beside ids": (["hello", [1, 2, 3]], [2, 3]),
    "an empty text among others": (["", "x"], [0, 1]),
}


@pytest.mark.parametrize(("value", "tokens"), READ.values(), ids=READ)
def test_prompts_of(value, tokens):
    assert [prompt.tokens for prompt in prompts_of(value, "body.prompt")] == tokens


REFUSED = {
    "a number": (5, "body.prompt"),
    "a list of numbers that are not whole": ([1, 2.5], "body.prompt"),
    "true among ids": ([1, True], "body.prompt"),
    "a mapping in a list": (["a", {}], "body.prompt[1]"),
    "a text among the ids of a list": (["a", [1, "b"]], "body.prompt[1]"),
}


@pytest.mark.parametrize(("value", "place"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_prompt(value, place):
    with pytest.raises(InputError) as caught:
        prompts_of(value, "body.prompt")

    assert caught.value.place == place


def test_only_ids():
    assert id_prompts_of([1, 2], "x") == (Prompt((1, 2)),)
    assert id_prompts_of([[1], [2, 3]], "x") == (Prompt((1,)), Prompt((2, 3)))
    with pytest.raises(InputError, match="no list of whole numbers"):
        id_prompts_of("text", "x")
    with pytest.raises(InputError, match=r"x\[1\]"):
        id_prompts_of([[1], "a"], "x")
    assert ids_of([], "x") == ()
