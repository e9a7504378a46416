"""Whatever clients send is a request or a 400, and a rewritten body differs in its model alone."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st

from bayplan.routing.answer import Answer
from bayplan.routing.requests.model_text import with_model
from bayplan.routing.requests.rewrite import Rewrite, Rule, Target
from bayplan.routing.router import Router
from unit.routing.routers import config

PATHS = (
    "/v1/completions",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/conversations",
    "/v1/embeddings",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/inference/v1/generate",
    "/generate",
    "/v1/other?x=1",
    "",
)
KEYS = ("model", "prompt", "messages", "input", "items", "token_ids", "input_ids", "system", "instructions", "role",
        "content", "type", "text", "image_url", "source", "url", "max_tokens", "stream", "sampling_params")  # fmt: skip
WORDS = st.sampled_from(["", "m", "model", 'a "model": {', "\\", "é€😀", "user", "image", "x" * 50])
LEAVES = st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats(allow_nan=False, allow_infinity=False) | WORDS
VALUES: Any = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
)
BODIES: Any = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
PARSERS = [{"type": name} for name in ("openai-parser", "anthropic-parser", "vllmhttp-parser", "sglanghttp-parser")]
REWRITES = (
    Rewrite("w", 1.0, (Rule(frozenset({"m"}), (Target("n", 1), Target("o", 2))), Rule(frozenset(), (Target("z"),)))),
)


def router(*, rewriting: bool) -> Router:
    listed = [*PARSERS, {"type": "passthrough-parser"}, {"type": "queue-scorer"}]
    references = [{"pluginRef": each["type"]} for each in listed[:-1]]
    made = Router(config(*(each["type"] for each in listed), requestHandler={"parsers": references}))
    made.set_rewrites(REWRITES if rewriting else ())
    return made


PLAIN, REWRITING = router(rewriting=False), router(rewriting=True)


@given(path=st.sampled_from(PATHS), body=BODIES, rewriting=st.booleans())
def test_whatever_comes_is_a_request_or_a_400(path: str, body: dict[str, Any], rewriting: bool) -> None:
    text = json.dumps(body).encode()
    parsed = (REWRITING if rewriting else PLAIN).parse("r", path, {}, text, 0.0)

    if isinstance(parsed, Answer):
        assert (parsed.status, parsed.picked) == (400, ())
        return
    assert parsed.prompt_tokens == sum(prompt.tokens for prompt in parsed.prompts) >= 0
    if parsed.body is not None:
        assert json.loads(parsed.body) == {**body, "model": parsed.model}


@given(path=st.sampled_from(PATHS), body=st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_bytes_that_are_no_json(path: str, body: bytes) -> None:
    parsed = PLAIN.parse("r", path, {"Prefer": "x", "x-slo-ttft-ms": "soon"}, body, 0.0)

    assert not isinstance(parsed, Answer) or parsed.status == 400


@given(
    body=BODIES.filter(lambda body: isinstance(body.get("model"), str | None)),  # all else was refused before
    model=st.text(max_size=10).filter(lambda text: text.isprintable()),
    indent=st.sampled_from([None, 1]),
    separators=st.sampled_from([None, (",", ":"), (" , ", "\t:\n ")]),
    ascii_only=st.booleans(),
)
def test_only_the_model_of_a_body_changes(
    body: dict[str, Any], model: str, indent: int | None, separators: tuple[str, str] | None, ascii_only: bool
) -> None:
    text = json.dumps(body, indent=indent, separators=separators, ensure_ascii=ascii_only).encode()

    assert json.loads(with_model(text, model)) == {**body, "model": model}
