"""Which path does what."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final

import orjson

import bayplan
from bayplan.framework.errors import InputError
from bayplan.sim.engine.batching.sequence import Sequence
from bayplan.sim.engine.http.generation import Generation
from bayplan.sim.engine.http.messages import JSON, TEXT
from bayplan.sim.engine.openai.answers import Answer, model_cards
from bayplan.sim.engine.openai.asked import read_asked, read_document, read_messages, read_prompt
from bayplan.sim.engine.openai.refusals import RefusalError
from bayplan.sim.engine.tokens import block_hashes, first_word, token_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.sim.engine.host import Host
    from bayplan.sim.engine.http.connection import Connection
    from bayplan.sim.engine.http.messages import Request

    Handler = Callable[[Request, Connection], None]

EXPOSITION: Final = "text/plain; version=0.0.4; charset=utf-8"
FAULTS: Final = "/faults"
LONGEST_NAME: Final = 200


class Routes:
    """Answers requests, each by the handler of its path and method."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._paths: dict[str, dict[str, Handler]] = {
            "/health": {"GET": self._health, "HEAD": self._health},
            "/version": {"GET": self._version},
            "/metrics": {"GET": self._metrics},
            "/v1/models": {"GET": self._models},
            "/v1/completions": {"POST": self._complete},
            "/v1/chat/completions": {"POST": self._chat},
            "/tokenize": {"POST": self._tokenize},
            "/v1/load_lora_adapter": {"POST": self._load},
            "/v1/unload_lora_adapter": {"POST": self._unload},
            FAULTS: {"GET": self._show_faults, "POST": self._break},
        }

    def handle(self, request: Request, connection: Connection) -> None:
        """Answer a request, now or later; refusals and our own mistakes are answers too."""
        if self._host.faults.mute and request.path != FAULTS:
            return
        try:
            self._handler(request)(request, connection)
        except RefusalError as refusal:
            self._refuse(request, connection, refusal)
        except InputError as problem:
            self._refuse(request, connection, RefusalError(400, str(problem), problem.place or None))
        except Exception as problem:  # one broken request must not end the others
            sys.stderr.write(f"error: {request.path}: unexpected {type(problem).__name__}: {problem}\n")
            self._refuse(
                request, connection, RefusalError(500, "unexpected error; the engine's log has a line about it")
            )

    def _handler(self, request: Request) -> Handler:
        methods = self._paths.get(request.path)
        if methods is None:
            raise RefusalError(404, f"there is nothing at {request.path[:LONGEST_NAME]}")
        handler = methods.get(request.method)
        if handler is None:
            raise RefusalError(405, f"{request.path} takes {', '.join(methods)}, not {request.method}")
        return handler

    def _refuse(self, request: Request, connection: Connection, refusal: RefusalError) -> None:
        allow = f"allow: {', '.join(self._paths[request.path])}\r\n" if refusal.status == 405 else ""
        retry = "retry-after: 1\r\n" if refusal.status in (429, 503) else ""
        connection.answer(request, refusal.status, orjson.dumps(refusal.document()), extra=allow + retry)

    # about the engine

    def _health(self, request: Request, connection: Connection) -> None:
        if not self._host.is_ready:
            raise RefusalError(503, "the engine is not ready")
        connection.answer(request, 200, b"", TEXT)

    def _version(self, request: Request, connection: Connection) -> None:
        connection.answer(request, 200, orjson.dumps({"version": bayplan.__version__}))

    def _metrics(self, request: Request, connection: Connection) -> None:
        connection.answer(request, 200, self._host.exposition().encode(), EXPOSITION)

    def _models(self, request: Request, connection: Connection) -> None:
        host, settings = self._host, self._host.settings
        cards = model_cards(
            settings.names, settings.root, host.adapters, settings.model_tokens, created=host.started_unix_s
        )
        connection.answer(request, 200, cards)

    # tokens

    def _complete(self, request: Request, connection: Connection) -> None:
        self._generate(request, connection, is_chat=False)

    def _chat(self, request: Request, connection: Connection) -> None:
        self._generate(request, connection, is_chat=True)

    def _generate(self, request: Request, connection: Connection, *, is_chat: bool) -> None:
        host, settings = self._host, self._host.settings
        document = read_document(request.body)
        asked = read_asked(document, settings, is_chat=is_chat)
        model = asked.model or settings.names[0]
        adapter = self._adapter(model)
        host.admit()
        salt = (adapter, document.get("cache_salt") if isinstance(document.get("cache_salt"), str) else None)
        blocks = block_hashes(asked.prompt, settings.limits.block_tokens, salt) if settings.has_prefix_cache else ()
        sequence = Sequence(asked.prompt_tokens, asked.output_tokens, blocks, adapter)
        first = first_word(asked.prompt, settings.seed)
        answer = Answer(asked, model, self._identity(request), int(time.time()), first)
        generation = Generation(connection, request, answer, sequence, host.faults.cut_after_tokens)
        connection.generation = generation
        generation.open()
        host.live.submit(generation)

    def _adapter(self, model: str) -> str | None:
        """The adapter of that name, or None for the base model."""
        if model in self._host.settings.names:
            return None
        if model in self._host.adapters:
            return model
        raise RefusalError(404, f"The model `{model[:LONGEST_NAME]}` does not exist.", "model")

    def _identity(self, request: Request) -> str:
        """The client's own name of the request, or a number that the seed decides."""
        number = f"{self._host.chance.number():016x}"
        given = request.headers.get(b"x-request-id", b"").decode("latin-1")
        return given if given.isascii() and given.isprintable() and 0 < len(given) <= LONGEST_NAME else number

    def _tokenize(self, request: Request, connection: Connection) -> None:
        document = read_document(request.body)
        text = read_messages(document) if "messages" in document else read_prompt(document)
        ids = token_ids(text)
        found = {"count": len(ids), "max_model_len": self._host.settings.model_tokens, "tokens": ids}
        connection.answer(request, 200, orjson.dumps(found))

    # adapters

    def _load(self, request: Request, connection: Connection) -> None:
        document = read_document(request.body)
        name, path = _words(document, "lora_name"), _words(document, "lora_path")
        connection.answer(request, 200, self._host.load_adapter(name, path).encode(), TEXT)

    def _unload(self, request: Request, connection: Connection) -> None:
        name = _words(read_document(request.body), "lora_name")
        connection.answer(request, 200, self._host.unload_adapter(name).encode(), TEXT)

    # faults

    def _show_faults(self, request: Request, connection: Connection) -> None:
        _from_this_machine(connection)
        connection.answer(request, 200, orjson.dumps(self._host.faults.as_dict()))

    def _break(self, request: Request, connection: Connection) -> None:
        _from_this_machine(connection)
        if request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != JSON.encode():
            raise RefusalError(415, f"the body must be {JSON}")  # which pages of other origins cannot send
        self._host.break_now(self._host.faults.changed(read_document(request.body)))
        self._show_faults(request, connection)


def _from_this_machine(connection: Connection) -> None:
    if connection.peer != "::1" and not connection.peer.removeprefix("::ffff:").startswith("127."):
        raise RefusalError(403, "faults are set from the engine's own machine alone")


def _words(document: dict[str, Any], name: str) -> str:
    """A name or path that is shown in lists and metrics."""
    value = document.get(name)
    if not isinstance(value, str) or not value or len(value) > LONGEST_NAME:
        raise RefusalError(400, f"{name}: must be a text of 1 to {LONGEST_NAME} letters", name)
    if not value.isprintable() or "," in value:
        raise RefusalError(400, f"{name}: has a comma or a letter that cannot be printed", name)
    return value
