"""Answers of a server, read from a socket byte by byte: for requests that no library would send."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket


@dataclass
class Answer:
    """What came back."""

    code: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name.lower()), "")


def read_answer(connection: socket.socket, stream: Any = None) -> Answer:
    """One answer; nothing at all is code 0."""
    stream = stream or connection.makefile("rb")
    try:
        first = stream.readline()
    except OSError:
        first = b""
    if not first:
        return Answer(0, [], b"")
    headers = []
    while (line := stream.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name.lower(), value.strip()))
    answer = Answer(int(first.split()[1]), headers, b"")
    if length := answer.header("content-length"):
        answer.body = stream.read(int(length))
    return answer
