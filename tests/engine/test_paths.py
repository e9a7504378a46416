"""Every path of an engine, as clients use them."""

import http.client

import pytest

from bayplan import __version__
from engine.running import MODEL, ask


def test_it_is_healthy(engine):
    assert engine.ask("GET", "/health").status == 200
    assert engine.ask("HEAD", "/health").body == b""


def test_it_has_a_version(engine):
    assert engine.ask("GET", "/version").document == {"version": __version__}


def test_it_lists_the_model_and_its_adapters(engine):
    cards = engine.ask("GET", "/v1/models").document["data"]

    assert [(each["id"], each["parent"]) for each in cards] == [(MODEL, None), ("sql", MODEL)]


def test_it_completes(engine):
    answer = engine.complete("word " * 40, max_tokens=7, model=MODEL)
    document = answer.document

    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert (document["object"], document["model"]) == ("text_completion", MODEL)
    assert len(document["choices"][0]["text"]) == 7 * 4
    assert document["choices"][0]["finish_reason"] == "length"
    assert document["usage"] | {"prompt_tokens_details": None} == {
        "prompt_tokens": 50,
        "completion_tokens": 7,
        "total_tokens": 57,
        "prompt_tokens_details": None,
    }


def test_it_chats(engine):
    answer = engine.chat(model="sql").document

    assert (answer["object"], answer["model"]) == ("chat.completion", "sql")
    assert answer["choices"][0]["message"]["role"] == "assistant"
    assert (answer["choices"][0]["finish_reason"], answer["usage"]["completion_tokens"]) == ("stop", 64)


def test_token_ids_are_a_prompt(engine):
    ids = engine.ask("POST", "/tokenize", {"prompt": "the same words"}).document

    assert ids["count"] == 4
    assert ids["max_model_len"] == 131_072
    by_ids = engine.ask("POST", "/v1/completions", {"prompt": ids["tokens"]}).document
    assert by_ids["usage"]["prompt_tokens"] == 4


def test_chats_are_tokenized_as_they_are_answered(engine):
    messages = [{"role": "user", "content": "how many?"}]
    count = engine.ask("POST", "/tokenize", {"messages": messages}).document["count"]

    assert engine.chat("how many?").document["usage"]["prompt_tokens"] == count


def test_equal_prompts_are_answered_alike(engine):
    texts = {engine.complete("the same").document["choices"][0]["text"] for _ in range(3)}

    assert len(texts) == 1


def test_the_clients_name_of_a_request_is_kept(engine):
    answer = engine.ask("POST", "/v1/completions", {"prompt": "x"}, x_request_id="trace-7")

    assert answer.document["id"] == "cmpl-trace-7"


def test_many_requests_on_one_connection(engine):
    connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=30)
    for _ in range(5):
        assert ask(connection, "GET", "/health").status == 200
        assert ask(connection, "POST", "/v1/completions", {"prompt": "x"}).status == 200
    connection.close()


class TestAdapters:
    def test_come_and_go(self, engine):
        asked = {"lora_name": "new", "lora_path": "/adapters/new"}
        assert engine.complete(model="new").status == 404

        loaded = engine.ask("POST", "/v1/load_lora_adapter", asked)
        assert (loaded.status, loaded.body) == (200, b"Success: LoRA adapter 'new' added successfully.")
        assert engine.complete(model="new").document["model"] == "new"

        again = engine.ask("POST", "/v1/load_lora_adapter", asked)
        assert (again.status, again.error["message"]) == (400, "The lora adapter 'new' has already been loaded.")

        gone = engine.ask("POST", "/v1/unload_lora_adapter", {"lora_name": "new"})
        assert (gone.status, gone.body) == (200, b"Success: LoRA adapter 'new' removed successfully.")
        assert engine.complete(model="new").status == 404
        assert engine.ask("POST", "/v1/unload_lora_adapter", {"lora_name": "new"}).status == 404

    @pytest.mark.parametrize(
        "asked", [{}, {"lora_name": "x"}, {"lora_name": 5, "lora_path": "/"}, {"lora_name": "a,b", "lora_path": "/"}]
    )
    def test_need_a_name_and_a_path(self, engine, asked):
        assert engine.ask("POST", "/v1/load_lora_adapter", asked).error["type"] == "BadRequestError"

    def test_share_no_prefix(self, engine):
        prompt = "a prompt of more than one block, so that it could be found again if it were the same " * 3
        engine.complete(prompt)

        for model, found in ((MODEL, True), ("sql", False)):
            usage = engine.complete(prompt, model=model).document["usage"]
            assert bool(usage["prompt_tokens_details"]["cached_tokens"]) is found


class TestRefusals:
    def test_an_unknown_path(self, engine):
        answer = engine.ask("GET", "/v1/nothing")

        assert (answer.status, answer.error["message"]) == (404, "there is nothing at /v1/nothing")

    def test_an_unknown_model(self, engine):
        error = engine.chat(model="gpt-5").error

        assert error == {
            "message": "The model `gpt-5` does not exist.",
            "type": "NotFoundError",
            "param": "model",
            "code": 404,
        }

    @pytest.mark.parametrize(
        ("method", "path"), [("DELETE", "/health"), ("GET", "/v1/completions"), ("PUT", "/faults")]
    )
    def test_another_method(self, engine, method, path):
        answer = engine.ask(method, path)

        assert answer.status == 405
        assert answer.error["message"].endswith(f"not {method}")
        assert method not in answer.headers["allow"]

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"prompt": 5}', b'{"n": 2, "prompt": "x"}'])
    def test_a_body_that_cannot_be_used(self, engine, body):
        answer = engine.ask("POST", "/v1/completions", body)

        assert answer.status == 400
        assert answer.error["type"] == "BadRequestError"

    def test_a_prompt_beyond_the_context(self, engine):
        answer = engine.complete("x" * 4 * 131_072)

        assert answer.status == 400
        assert "the longest context has 131072 tokens" in answer.error["message"]
