"""The guarded reader: untrusted YAML or JSON as plain data, with the line of every value."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.manifests.json_places import JsonPlaces
from bayplan.manifests.json_text import JsonSyntaxError, read_json
from bayplan.manifests.limits import DOCUMENT
from bayplan.manifests.paths import clip, spell_short, split
from bayplan.manifests.places import line_and_column
from bayplan.manifests.refusals import refusal, too_large
from bayplan.manifests.yaml_events import YamlSyntaxError
from bayplan.manifests.yaml_places import YamlPlaces
from bayplan.manifests.yaml_text import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import BinaryIO

    from bayplan.manifests.limits import Limits
    from bayplan.manifests.paths import Step

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BEGINNING = 1024
"""Binary files are expected to have a zero byte within this many bytes; texts have none."""
_DOCUMENT_MARK = re.compile(rb"^(?:---|\.\.\.)(?=\s|\Z)", re.MULTILINE)
_SURELY_JSON = 64 * 1024  # text that parses as JSON this far and then fails is broken JSON, not YAML
_JSON_BEGINS = re.compile(rb"\s*+[\[{]")


@dataclass(frozen=True, slots=True)
class Document:
    """One document. `data` is shared where the text had aliases: read it, do not change it in place.

    `places` is absent for data that came from no text, such as the dicts of a library call.
    """

    data: Any
    source: str
    position: int = 0
    places: JsonPlaces | YamlPlaces | None = field(default=None, compare=False, repr=False)

    def line(self, path: str | Iterable[Step] = ()) -> int | None:
        """The line of a path, or of the nearest value around it; the text is parsed again at the first call."""
        steps = split(path) if isinstance(path, str) else tuple(path)
        return None if self.places is None else self.places.line(steps)

    def place(self, path: str | Iterable[Step] = ()) -> str:
        """`FILE:LINE: PATH`, as far as these are known."""
        steps = split(path) if isinstance(path, str) else tuple(path)
        line = self.line(steps)
        where = self.source if line is None else f"{self.source}:{line}"
        return f"{where}: {spell_short(steps)}" if steps else where


def read_file(path: Path, limits: Limits = DOCUMENT) -> list[Document]:
    """The documents of a file; its size is checked before it is read."""
    source = str(path)
    try:
        if (size_bytes := path.stat().st_size) > limits.bytes_per_stream and path.is_file():
            raise too_large(source, size_bytes, limits.bytes_per_stream, what="file")
        with path.open("rb") as stream:
            return read_stream(stream, source, limits)
    except FileNotFoundError:
        raise refusal(source, "there is no such file", next="check the path, or use - for standard input") from None
    except IsADirectoryError:
        raise refusal(source, "this is a folder", next="name a file in it") from None
    except PermissionError:
        raise refusal(source, "this file may not be read", next="check its permissions") from None
    except (OSError, ValueError) as error:
        raise refusal(clip(source), f"it cannot be read: {clip(str(error))}", next="check the path") from None


def read_stream(stream: BinaryIO, source: str = "<stdin>", limits: Limits = DOCUMENT) -> list[Document]:
    """The documents of an open file or of standard input; no more is read than the limit and one byte."""
    data = stream.read(limits.bytes_per_stream + 1)
    if len(data) > limits.bytes_per_stream:
        raise too_large(source, None, limits.bytes_per_stream, what="file")
    return read_text(data, source, limits)


def read_text(text: str | bytes, source: str, limits: Limits = DOCUMENT) -> list[Document]:
    """Every document of a text that is not empty: JSON or YAML, as its content says.

    A JSON list or a `kind: List` is one document. Text that begins like JSON is tried as JSON first; if it is not,
    it may still be YAML, whose flow style looks similar; where both fail, the error that came further is raised.
    """
    data = _encoded(text, source, limits).removeprefix(_BOM)
    _check_sizes(data, source, limits)
    if _JSON_BEGINS.match(data) is None:
        return _read_yaml(data, source, limits)
    try:
        value = read_json(data, source, limits)
    except JsonSyntaxError as not_json:
        if not_json.offset > _SURELY_JSON and _DOCUMENT_MARK.search(data) is None:
            raise
        return _read_yaml_instead(data, source, limits, not_json)
    return [Document(value, source, 0, JsonPlaces(data))]


def _read_yaml_instead(data: bytes, source: str, limits: Limits, not_json: JsonSyntaxError) -> list[Document]:
    try:
        return _read_yaml(data, source, limits)
    except YamlSyntaxError as not_yaml:
        raise (not_yaml if not_yaml.offset > not_json.offset else not_json) from None


def _read_yaml(data: bytes, source: str, limits: Limits) -> list[Document]:
    text = _decoded(data, source)
    return [
        Document(value, source, position, YamlPlaces(text, position))
        for position, value in read_yaml(text, source, limits, len(data))
    ]


def _encoded(text: str | bytes, source: str, limits: Limits) -> bytes:
    if len(text) > limits.bytes_per_stream:
        raise too_large(source, len(text), limits.bytes_per_stream, what="text")
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        message = f"half a surrogate pair, U+{ord(text[error.start]):04X}, is not a character"
        raise refusal(source, message, line=line, next="remove it") from None


def _decoded(data: bytes, source: str) -> str:
    if data.startswith(_UTF_16):
        raise refusal(
            source, "this text is UTF-16, and only UTF-8 is read", line=1, column=1, next="save the file as UTF-8"
        )
    if b"\0" in data[:_BEGINNING]:
        raise refusal(source, "this is a binary file, neither YAML nor JSON", next="name a text file")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line, column = line_and_column(data, error.start)
        message = f"not UTF-8: the byte 0x{data[error.start]:02X}"
        raise refusal(source, message, line=line, column=column, next="save the file as UTF-8") from None


def _check_sizes(data: bytes, source: str, limits: Limits) -> None:
    """Refuse documents by size before they are parsed; lines that consist of `---` separate documents."""
    if len(data) > limits.bytes_per_stream:
        raise too_large(source, len(data), limits.bytes_per_stream, what="text")
    if len(data) <= limits.bytes_per_document:
        return
    start = 0
    for end in (*(mark.start() for mark in _DOCUMENT_MARK.finditer(data)), len(data)):
        if end - start > limits.bytes_per_document:
            line, _ = line_and_column(data, start)
            raise too_large(source, end - start, limits.bytes_per_document, line=line)
        start = end
