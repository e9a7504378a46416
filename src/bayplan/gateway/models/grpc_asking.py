"""One gRPC call as the model desk sees it."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from bayplan.telemetry.request_metrics import EndedRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.gateway.models.model_desk import ModelDesk
    from bayplan.gateway.models.v2_question import ModelQuestion
    from bayplan.gateway.relay.desk import Ending
    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint


class GrpcAsking:
    """Asks the desk, and lets the call wait for what it says. `status` is what an HTTP client would be told."""

    subset = None  # clients do not choose replicas

    def __init__(self, own_id: str, path: str, texts: Mapping[str, str], body: bytes) -> None:
        self.id = self.request_id = own_id
        self.path = path
        self.texts = texts
        self.body = body
        self.endpoint: Endpoint | None = None
        self.status: int | None = None
        self._began_s = monotonic()
        self._next: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

    async def place(self, desk: ModelDesk, question: ModelQuestion) -> Answer | None:
        """Where to send it, or why not."""
        desk.ask_model(self, question, is_grpc=True)
        return await self._next

    async def another_place(self, desk: ModelDesk, fault: str) -> Answer | None:
        """Where to send it after a failure; None: there is nothing else to try."""
        self._next = asyncio.get_running_loop().create_future()
        desk.failed(self, fault, self._tell)
        return await self._next

    def answered(self, answer: Answer) -> None:
        self._tell(answer)

    def _tell(self, answer: Answer | None) -> None:
        if not self._next.done():
            self._next.set_result(answer)

    def facts(self, ending: Ending) -> EndedRequest:
        return EndedRequest(ending, self.status, monotonic() - self._began_s, None, len(self.body), 0, is_stream=False)
