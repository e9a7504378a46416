"""What a V2 REST request asks for: a model, or something that the gateway answers itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL_HEADER: Final = "seldon-model"
INTERNAL_HEADER: Final = "seldon-internal-model"
"""The name of one version as its servers know it, `iris_2`."""
LOAD_REFUSAL: Final = "models are loaded and unloaded by Model objects; write one and use bayplan apply, or delete it"
_BASE: Final = "/v2"
_MODELS: Final = "/v2/models/"
_VERSIONS: Final = "versions"
_UNSERVED: Final = {
    "experiment": "experiments split traffic, which is not done here",
    "pipeline": "pipelines are not run here",
}


class Own(StrEnum):
    """What the gateway answers itself."""

    LIVE = "live"
    READY = "ready"
    METADATA = "metadata"
    INDEX = "index"


_OWN: Final = {
    "/v2": Own.METADATA,
    "/v2/health/live": Own.LIVE,
    "/v2/health/ready": Own.READY,
    "/v2/repository/index": Own.INDEX,
}


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A request for a model; `internal` is the name of one version at its servers, where that was asked for.

    `tail` is what follows the model in the path, `/infer` for one. `path` is for the version with that internal name.
    """

    model: str
    version: int | None = None
    tail: str = ""
    internal: str | None = None

    @property
    def is_readiness(self) -> bool:
        """Whether it only asks if the model is ready, which nobody should wait for."""
        return self.tail == "/ready"

    def path(self, name: str) -> str:
        return f"{_MODELS}{name}{self.tail}"


def name_in(path: str) -> str:
    """The name at the servers in a path that `ModelQuestion.path` made."""
    return path.removeprefix(_MODELS).partition("/")[0]


class QuestionError(Exception):
    """A request that asks for nothing that there is."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def is_v2(path: str) -> bool:
    """Whether a path is one of the V2 protocol."""
    return path.startswith(_BASE) and (len(path) == 3 or path[3] == "/")


def read_question(path: str, headers: Mapping[str, str]) -> ModelQuestion | Own:
    """What is asked for; headers that name a model win over the path."""
    plain = path.rstrip("/")
    own = _OWN.get(plain)
    if own is not None:
        return own
    if not plain.startswith(_MODELS):
        if plain.startswith("/v2/repository/models/"):
            raise QuestionError(405, LOAD_REFUSAL)
        raise QuestionError(404, f"{path[:200]} is no path of the V2 protocol; models are at /v2/models/NAME/infer")
    model, version, tail = _read_path(plain.removeprefix(_MODELS))
    internal = headers.get(INTERNAL_HEADER)
    if internal:
        return ModelQuestion(model, None, tail, internal.strip())
    named = headers.get(MODEL_HEADER)
    return ModelQuestion(plain_name(named) if named else model, version, tail)


def plain_name(written: str) -> str:
    """The name of a model as a header has it; what names something else than a model is refused."""
    name = written.strip()
    base, dot, kind = name.rpartition(".")
    if not dot:
        return name
    why = _UNSERVED.get(kind, "names of models have no dots")
    raise QuestionError(400, f"{MODEL_HEADER}: {name[:200]!r}: {why}; name a model, such as {base[:200]!r}")


def _read_path(rest: str) -> tuple[str, int | None, str]:
    """Model, version and tail of `NAME[/versions/V][/TAIL]`."""
    words = rest.split("/")
    model = words[0]
    if len(words) > 2 and words[1] == _VERSIONS:
        return model, version_number(words[2], model), _tail(words[3:])
    return model, None, _tail(words[1:])


def version_number(written: str, model: str) -> int:
    """The number of a version; versions have no other names."""
    if not (written.isascii() and written.isdigit() and len(written) <= 9):
        raise QuestionError(404, f"model {model!r} has no version {written[:80]!r}; versions are numbers, 1 the first")
    return int(written)


def _tail(words: list[str]) -> str:
    """The rest of the path; one that could lead a server out of the model's own paths is refused."""
    if any(each in ("", ".", "..") or "%" in each for each in words):
        raise QuestionError(404, "the path leads out of the model; models are at /v2/models/NAME/infer")
    return "".join(f"/{each}" for each in words)
