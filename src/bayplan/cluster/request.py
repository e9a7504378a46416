"""A request that wants an endpoint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """What routing knows of a request; a negative priority may be shed when there is too much to do."""

    id: str
    model: str
    prompt_tokens: int | None = None
    priority: int = 0
    fairness_id: str = ""
    size_bytes: int = 0
    headers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str | None:
        """The first header of that name, whatever its case."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)
