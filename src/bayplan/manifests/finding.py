"""What reading a document finds out about a field: a problem, a remark, or that nothing acts on it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.manifests.paths import spell_short

if TYPE_CHECKING:
    from bayplan.manifests.paths import Step

NO_SUCH_FIELD = "there is no such field, so it is ignored"
NOT_ACTED_ON = "it is kept, and nothing acts on it"
FOR_THE_RUNTIME = "it concerns the running Pods, not their place"
A_PREFERENCE = "is a preference, and does not count"


class Neglect(StrEnum):
    """Why a field has no effect on a placement."""

    UNKNOWN = "unknown"
    """The format has no such field."""

    UNUSED = "unused"
    """The format has it, and nothing acts on it."""

    RUNTIME = "runtime"
    """It is for whatever runs the Pods: images, commands, volumes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem or a remark at a path inside an object, and what to do about it."""

    steps: tuple[Step, ...]
    message: str
    next: str = ""

    @property
    def path(self) -> str:
        """`spec.gpuRequirements.count`."""
        return spell_short(self.steps)

    def __str__(self) -> str:
        text = f"{self.path}: {self.message}" if self.steps else self.message
        return f"{text}; {self.next}" if self.next else text


@dataclass(frozen=True, slots=True)
class Ignored:
    """A field that has no effect, with everything inside it."""

    steps: tuple[Step, ...]
    reason: str
    neglect: Neglect

    @property
    def path(self) -> str:
        """`spec.autoscaling`."""
        return spell_short(self.steps)

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
