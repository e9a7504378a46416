"""A body that is framed anew because it was changed, or because its client reads no chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bayplan.gateway.relay.messages.model_name import ModelName

_LAST_CHUNK: Final = b"0\r\n\r\n"


class Reframer:
    """Writes pieces of a body as chunks, or as they are."""

    def __init__(self, names: ModelName | None, *, in_chunks: bool) -> None:
        self._names = names
        self._in_chunks = in_chunks

    def piece(self, data: bytes) -> bytes:
        """A piece as the client gets it; it may be empty."""
        return self._framed(data if self._names is None else self._names.piece(data))

    def end(self) -> bytes:
        """What comes after the last piece."""
        rest = b"" if self._names is None else self._framed(self._names.end())
        return rest + _LAST_CHUNK if self._in_chunks else rest

    def _framed(self, data: bytes) -> bytes:
        if not data or not self._in_chunks:
            return data
        return b"%x\r\n%b\r\n" % (len(data), data)
