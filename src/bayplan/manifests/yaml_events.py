"""The event parser of libyaml: how it is called, which text it must not get, and its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from bayplan.framework.errors import BayplanError, InputError
from bayplan.manifests.paths import clip
from bayplan.manifests.places import line_and_column
from bayplan.manifests.refusals import REMOVE_CONTROL, refusal

if TYPE_CHECKING:
    from yaml._yaml import CParser

MERGE_KEY = "<<"
STR_TAG = "tag:yaml.org,2002:str"

_MOST_DIRECTIVES = 64  # real documents have none or two

_INDENTATION = "check the indentation of this line and the one before"
_USUAL = "correct this line or the one before"
_NEXT = {
    "cannot start any token": "indent with spaces, and put text that begins with @, %, ` or a tab in quotes",
    "could not find expected ':'": "write 'key: value', with a space after the colon",
    "mapping values are not allowed": "check the indentation, or put text that holds ': ' in quotes",
    "did not find expected key": _INDENTATION,
    "did not find expected '-' indicator": _INDENTATION,
    "unexpected end of stream": "close what was opened: a quote or a bracket",
    "did not find expected <document start>": "separate documents with a line that holds only ---",
}


class YamlSyntaxError(InputError):
    """Not YAML; `offset` is how far the parser came, which tells broken YAML from broken JSON."""

    offset = 0


def yaml_parser(text: str) -> CParser:
    """The parser of libyaml. There is no fallback: a parser in Python is thirty times slower than the limits allow."""
    try:
        from yaml._yaml import CParser  # noqa: PLC0415  (absent where PyYAML was built without libyaml)
    except ImportError:
        raise BayplanError(
            "YAML cannot be read: this PyYAML was built without libyaml",
            place="PyYAML",
            next="install one of its wheels, or write the document as JSON",
        ) from None
    return CParser(text)


def check_directives(text: str, source: str) -> None:
    """Refuse a flood of `%TAG` lines: libyaml compares each with all before it, in quadratic time."""
    if text.count("\n%") > _MOST_DIRECTIVES:
        message = f"more than {_MOST_DIRECTIVES} lines begin with %"
        raise refusal(source, message, next="remove the directives: none is needed")


def syntax_refusal(error: YAMLError, text: str, source: str) -> YamlSyntaxError:
    """The error of libyaml with its place, and a next step for common mistakes."""
    if isinstance(error, ReaderError):
        line, column = line_and_column(text.encode(), error.position)
        character = error.character if isinstance(error.character, int) else 0
        message = f"not valid YAML: the control character U+{character:04X}"
        return YamlSyntaxError(message, place=f"{source}:{line}:{column}", next=REMOVE_CONTROL)
    if not isinstance(error, MarkedYAMLError):
        return YamlSyntaxError(f"not valid YAML: {clip(str(error))}", place=source, next=_USUAL)
    problem = error.problem or "it cannot be parsed"
    mark = error.problem_mark or error.context_mark
    found = YamlSyntaxError(
        f"not valid YAML: {problem}" + (f" {error.context}" if error.context else ""),
        place=f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source,
        next=next((step for words, step in _NEXT.items() if words in problem), _USUAL),
    )
    found.offset = mark.index if mark else 0
    return found
