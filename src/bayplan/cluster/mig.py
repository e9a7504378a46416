"""How a card may be cut into MIG instances, and how many more of a profile a cut card has room for.

A card has eight memory slices; an instance takes a run of them from one of a few legal starts. A card's state
is the 8-bit mask of the slices that are taken, so every question about it is one look into a table of 256.
The seven compute slices need no mask of their own: legal starts never let instances use more than seven.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MASKS = 256  # one bit for each of eight memory slices
COMPUTE_SLICES = 7


@dataclass(frozen=True, slots=True)
class MigInstance:
    """A profile at a start; no start where only the number of instances of a worker is known."""

    profile: str
    start: int | None = None

    def __str__(self) -> str:
        return self.profile if self.start is None else f"{self.profile}@{self.start}"


@dataclass(frozen=True, slots=True)
class MigState:
    """What a card's owner allows: which instances exist, and whether they may be made anew."""

    enabled: bool = True
    reconfigurable: bool = False
    slices: tuple[MigInstance, ...] = ()


@dataclass(frozen=True)
class MigProfile:
    """One kind of instance: how many memory slices it takes, and where it may begin."""

    name: str
    size: int
    starts: tuple[int, ...]

    def mask(self, start: int) -> int:
        """The memory slices that an instance at this start takes."""
        return ((1 << self.size) - 1) << start  # a run of `size` ones that begins at `start`

    def free_starts(self, taken: int) -> tuple[int, ...]:
        """Where another instance may begin on a card whose `taken` slices are in use."""
        return tuple(start for start in self.starts if not taken & self.mask(start))

    @cached_property
    def room(self) -> bytes:
        """How many more instances fit, by mask: `profile.room[taken]`.

        Legal starts of one profile never overlap each other, so the free ones can all be taken.
        """
        return bytes(len(self.free_starts(taken)) for taken in range(MASKS))


@dataclass(frozen=True)
class MigGeometry:
    """All profiles of one kind of card, smallest first."""

    name: str
    profiles: tuple[MigProfile, ...]

    @cached_property
    def by_name(self) -> dict[str, MigProfile]:
        return {profile.name: profile for profile in self.profiles}

    def profile(self, name: str) -> MigProfile | None:
        """The profile of that name, whatever its case; None where such cards do not have it."""
        return self.by_name.get(name.lower())

    def occupied(self, instances: Iterable[MigInstance], place: str = "") -> int:
        """The mask of instances that exist; refuses what no such card can hold."""
        taken = 0
        for number, instance in enumerate(instances):
            where = f"{place}[{number}]"
            profile = self.profile(instance.profile)
            if profile is None:
                names = ", ".join(self.by_name)
                raise InputError(
                    f"{self.name} cards have no profile {instance.profile!r}",
                    place=f"{where}.profile",
                    next=f"use one of {names}",
                )
            if instance.start not in profile.starts:
                starts = ", ".join(map(str, profile.starts))
                raise InputError(
                    f"{profile.name} cannot begin at {instance.start}",
                    place=f"{where}.start",
                    next=f"legal starts are {starts}",
                )
            mask = profile.mask(instance.start)
            if taken & mask:
                raise InputError(f"{instance} overlaps another instance", place=where, next="use each slice once")
            taken |= mask
        return taken

    def arrange(self, wanted: Sequence[str], taken: int = 0) -> tuple[MigInstance, ...] | None:
        """Starts for several instances at once, in the order asked, or None where they do not fit together.

        Exact: placing one after the other can fail where together they fit.
        """
        profiles = [profile for name in wanted if (profile := self.profile(name))]
        # each instance needs a compute slice of its own
        if len(profiles) != len(wanted) or len(wanted) > COMPUTE_SLICES:
            return None
        # few starts: dead ends show early
        largest_first = sorted(range(len(profiles)), key=lambda number: -profiles[number].size)
        starts = _search([profiles[number] for number in largest_first], taken)
        if starts is None:
            return None
        start_of = dict(zip(largest_first, starts, strict=True))
        return tuple(MigInstance(p.name, start_of[number]) for number, p in enumerate(profiles))


def _search(profiles: Sequence[MigProfile], taken: int) -> tuple[int, ...] | None:
    if not profiles:
        return ()
    first, *rest = profiles
    for start in reversed(first.free_starts(taken)):
        starts = _search(rest, taken | first.mask(start))
        if starts is not None:
            return (start, *starts)
    return None


def _eight_slices(name: str, *names: str) -> MigGeometry:
    """Profiles of a seven-way card, in NVIDIA's order: 1g, 1g with double memory, 2g, 3g, 4g, 7g."""
    cuts = (
        (1, (0, 1, 2, 3, 4, 5, 6)),
        (2, (0, 2, 4, 6)),
        (2, (0, 2, 4)),
        (4, (0, 4)),
        (4, (0,)),
        (8, (0,)),
    )
    return MigGeometry(name, tuple(MigProfile(n, size, starts) for n, (size, starts) in zip(names, cuts, strict=True)))


GEOMETRIES: dict[str, MigGeometry] = {
    geometry.name: geometry
    for geometry in (
        MigGeometry(
            "24GB",
            (
                MigProfile("1g.6gb", 1, (0, 1, 2, 3)),
                MigProfile("2g.12gb", 2, (0, 2)),
                MigProfile("4g.24gb", 4, (0,)),
            ),
        ),
        _eight_slices("40GB", "1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"),
        _eight_slices("80GB", "1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"),
        _eight_slices("94GB", "1g.12gb", "1g.24gb", "2g.24gb", "3g.47gb", "4g.47gb", "7g.94gb"),
        _eight_slices("96GB", "1g.12gb", "1g.24gb", "2g.24gb", "3g.48gb", "4g.48gb", "7g.96gb"),
        _eight_slices("141GB", "1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
        _eight_slices("180GB", "1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"),
    )
}
"""By the size of the card they cut: A30, A100 40, A100 80 and H100 80, H100 94, H100 96, H200, B200."""


@lru_cache(maxsize=1024)
def profile_memory_mib(name: str) -> int | None:
    """The memory that a profile's name promises, in MiB; None where the name is not of the form `1g.5gb`.

    The name counts GiB rounded by NVIDIA; it is for people and for scores, never for what a ledger books.
    """
    head, _, tail = name.lower().partition(".")
    gib = tail.removesuffix("gb")
    if not (head.endswith("g") and head[:-1].isdecimal() and tail.endswith("gb") and gib.isdecimal()):
        return None
    return int(gib) * 1024 if len(gib) <= 4 else None  # no card has more digits of GiB, and hostile names may have many
