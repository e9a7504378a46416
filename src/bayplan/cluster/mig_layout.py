"""How one card is cut, or may be: which instances a booking can name, and the slices each of them takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from bayplan.cluster.columns import MEMORY_SLICES
from bayplan.cluster.mig import MASKS

if TYPE_CHECKING:
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.mig import MigGeometry, MigInstance, MigState

ALL_SLICES = MASKS - 1


@dataclass(frozen=True)
class MigLayout:
    """A card's geometry and its owner's leave.

    Without a geometry the listed instances are all that is known: the n-th takes the n-th bit.
    """

    geometry: MigGeometry | None = None
    state: MigState | None = None

    @property
    def enabled(self) -> bool:
        """Whether the card is cut already; if not, it must be idle before its first instance."""
        return self.state is not None and self.state.enabled

    @property
    def reconfigurable(self) -> bool:
        return self.state is not None and self.state.reconfigurable

    @cached_property
    def slices(self) -> int:
        """How many memory slices the card has."""
        return max((profile.size for profile in self.geometry.profiles), default=0) if self.geometry else MEMORY_SLICES

    def mask(self, instance: MigInstance) -> int:
        """The slices that an instance takes; all where that is not known, so that its room is not given away."""
        if self.geometry is None:
            listed = self._listed(instance)
            return ALL_SLICES if listed is None or listed >= MEMORY_SLICES else 1 << listed
        profile = self.geometry.profile(instance.profile)
        if profile is None or instance.start not in profile.starts:
            return ALL_SLICES
        return profile.mask(instance.start)

    def problem(self, instance: MigInstance) -> str | None:
        """Why such an instance cannot be on this card, even if no slice of it were in use."""
        if self.state is None:
            return "MIG is not enabled on the card"
        if instance.start is None:
            return "its start is missing"
        if self._listed(instance) is not None:
            return None
        return (
            self._misfit(instance)
            if self.reconfigurable
            else "the card has no such instance and may not be reconfigured"
        )

    def _misfit(self, instance: MigInstance) -> str | None:
        if self.geometry is None:
            return "how this card can be divided by MIG is not known"
        profile = self.geometry.profile(instance.profile)
        if profile is None:
            return f"{self.geometry.name} cards have no such profile"
        return None if instance.start in profile.starts else f"legal starts are {', '.join(map(str, profile.starts))}"

    def room(self, profile_name: str) -> bytes:
        """How many more instances of a profile there may be, by the mask of what is taken."""
        return _room(self, profile_name.lower())

    def _listed(self, instance: MigInstance) -> int | None:
        """The place of the instance among the existing slices; None where it does not exist, or MIG is disabled."""
        listed = self.state.slices if self.state and self.state.enabled else ()
        wanted = (instance.profile.lower(), instance.start)
        return next((n for n, each in enumerate(listed) if (each.profile.lower(), each.start) == wanted), None)


UNCUT = MigLayout()
"""Of a card that says nothing about MIG."""


@lru_cache(maxsize=1024)
def _layout(geometry: MigGeometry | None, state: MigState) -> MigLayout:
    return MigLayout(geometry, state)


def layout_of(gpu: Gpu) -> MigLayout:
    """The layout of a card; equal cards share one."""
    return UNCUT if gpu.mig is None else _layout(gpu.geometry, gpu.mig)


@lru_cache(maxsize=4096)
def _room(of: MigLayout, profile_name: str) -> bytes:
    if of.reconfigurable and of.geometry:
        profile = of.geometry.profile(profile_name)
        return profile.room if profile else bytes(MASKS)
    listed = of.state.slices if of.state and of.enabled else ()
    masks = [of.mask(each) for each in listed if each.profile.lower() == profile_name]
    return bytes(sum(not taken & mask for mask in masks) for taken in range(MASKS))
