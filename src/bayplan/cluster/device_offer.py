"""What a worker offers to requests that name a resource of Kubernetes: whole cards, places on cards, or MIG slices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GPU_RESOURCE = "nvidia.com/gpu"
"""Under this name NVIDIA's device plugin offers what it has, unless an administrator renames what is shared."""


MIG_RESOURCE = "nvidia.com/mig-"
"""Before a profile: so the slices are named on a worker with MIG strategy mixed."""


class Sharing(StrEnum):
    """How several replicas run on one card that is offered in places."""

    TIME_SLICING = "time-slicing"
    MPS = "mps"
    HAMI = "hami"


class MigStrategy(StrEnum):
    """What the plain name of the resource counts on a worker with cut cards: slices (single), or whole cards."""

    SINGLE = "single"
    MIXED = "mixed"


class DeviceKind(StrEnum):
    """What one device of a worker is."""

    CARD = "card"
    PLACE = "place"
    SLICE = "slice"


_WORDS = {DeviceKind.CARD: "whole card", DeviceKind.PLACE: "place on a shared card", DeviceKind.SLICE: "MIG slice"}


@dataclass(frozen=True, slots=True)
class DeviceOffer:
    """Devices of one kind under one name; `profile` is that of slices.

    A container gets at most `per_container` of them; None is no limit.
    """

    resource: str = GPU_RESOURCE
    kind: DeviceKind = DeviceKind.CARD
    profile: str = ""
    per_container: int | None = None
    sharing: Sharing | None = None

    @property
    def names_profile(self) -> bool:
        """Whether the name is that of slices: workers with strategy single offer theirs under the plain one."""
        return self.resource.startswith(MIG_RESOURCE)

    def __str__(self) -> str:
        return _WORDS[self.kind] + (f" {self.profile}" if self.profile else "")


WHOLE_CARDS = DeviceOffer()
