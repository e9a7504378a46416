"""Which cards bound Pods hold. Kubernetes rarely says it, so cards are assigned in a fixed order."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.cluster.booking import WHOLE_CARD_MILLI, CardBooking
from bayplan.cluster.device_offer import DeviceKind, Sharing
from bayplan.cluster.mig import MigInstance
from bayplan.manifests.inventory.devices import told_devices
from bayplan.manifests.inventory.hami import ALLOCATED, given_devices
from bayplan.manifests.inventory.node_text import annotation
from bayplan.manifests.kai import RESERVED_CARD, groups_of, read_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.gpu import CardId, Gpu
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.hami import HamiRequest
    from bayplan.manifests.inventory.notes import Notes
    from bayplan.manifests.inventory.pod import BoundPod
    from bayplan.manifests.kai import KaiShare

CUDA = "cuda"
_CONTAINERS = "spec.containers"


class PodCards:
    """Assigns cards to Pods one by one; the cards that are left depend on the Pods before."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._used: dict[str, dict[CardId, int]] = {}
        self._groups: dict[tuple[str, str], CardId] = {}

    def hold(self, booking: Booking) -> None:
        """Count the places that a booking takes, so that others get what is left."""
        used = self._used.setdefault(booking.worker, {})
        for part in booking.cards:
            if part.card is not None:
                used[part.card] = used.get(part.card, 0) + (part.places or 1)

    def reserve(self, pod: BoundPod, worker: Worker) -> None:
        """Note the card that a reservation Pod keeps for a group, if it names one."""
        said = pod.annotations.get(RESERVED_CARD, "")
        card = next((gpu.card for gpu in worker.gpus if said and said in (gpu.uuid, str(gpu.index))), None)
        if card is not None:
            for group in groups_of(pod.labels):
                self._groups.setdefault((worker.name, group), card)

    def of(self, pod: BoundPod, worker: Worker) -> tuple[CardBooking, ...]:
        """What a Pod holds on its worker."""
        told = told_devices(pod.entry, pod.annotations, worker, self._notes)
        if told is None:
            told = self._told_by_hami(pod, worker)
        if told:
            return told
        request = pod.request
        parts = [
            CardBooking(None, mig=MigInstance(profile))
            for profile, count in request.slices.items()
            for _ in range(count)
        ]
        for runtime, count in request.cards.items():
            parts += self._devices(pod, worker, runtime, count)
        if request.share_mib or request.share_milli:
            parts += self._alnair_share(pod, worker)
        if share := self._notes.attempt(pod.entry, "metadata.annotations", read_share, pod.annotations):
            parts += self._kai_shares(pod, worker, share)
        return tuple(parts)

    def _devices(self, pod: BoundPod, worker: Worker, runtime: str, count: int) -> list[CardBooking]:
        """What the name of the resource means on this worker."""
        offer = worker.device_offer
        if runtime == CUDA and offer.kind is DeviceKind.SLICE:
            return [CardBooking(None, mig=MigInstance(offer.profile)) for _ in range(count)] if offer.profile else []
        if runtime == CUDA and offer.kind is DeviceKind.PLACE:
            return self._places(pod, worker, count)
        if runtime == CUDA and worker.sharing is Sharing.HAMI and pod.request.hami:
            return self._hami_shares(pod, worker, pod.request.hami)
        return [CardBooking(card.index, runtime) for card in self._free(pod, worker, runtime, count)]

    def _free(self, pod: BoundPod, worker: Worker, runtime: str, count: int) -> list[CardId]:
        """The lowest cards that no Pod has yet: Kubernetes counts cards and does not name them."""
        used = self._used.get(worker.name, {})
        free = [gpu.card for gpu in worker.gpus if gpu.runtime == runtime and gpu.card not in used]
        if len(free) < count:
            left = f"only {len(free)} left; only these are booked" if free else "none left; no card is booked for it"
            message = f"the Pod asks for {count} {runtime} card{'s' * (count > 1)}, but its node has {left}"
            self._notes.add(pod.entry, _CONTAINERS, message, alike="too few cards")
        elif len(free) > count:
            message = (
                f"which cards the Pod holds is not known; the free cards with the lowest numbers are booked: {count}"
            )
            self._notes.add(pod.entry, _CONTAINERS, message, alike="which cards")
        return free[:count]

    def _places(self, pod: BoundPod, worker: Worker, count: int) -> list[CardBooking]:
        """Places on shared cards: on cards without a place of this Pod first, then least used, then lowest index."""
        used = dict(self._used.get(worker.name, {}))
        mine: dict[CardId, int] = {}
        shared = [gpu for gpu in worker.gpus if gpu.places is not None and gpu.runtime == CUDA]
        for number in range(count):
            left = [gpu for gpu in shared if used.get(gpu.card, 0) < (gpu.places or 0)]
            if not left:
                rest = f"only {number} left; only these are booked" if number else "none left; none is booked for it"
                message = f"the Pod asks for {count} place{'s' * (count > 1)} on cards, but its node has {rest}"
                self._notes.add(pod.entry, _CONTAINERS, message, alike="too few places")
                break
            card = min(left, key=lambda gpu: (gpu.card in mine, used.get(gpu.card, 0), gpu.index)).card
            used[card] = used.get(card, 0) + 1
            mine[card] = mine.get(card, 0) + 1
        return [_places_of(gpu, mine[gpu.card]) for gpu in shared if gpu.card in mine]

    def _told_by_hami(self, pod: BoundPod, worker: Worker) -> tuple[CardBooking, ...] | None:
        """The cards that HAMi's annotation names; shares of several containers on one card are added up."""
        value = pod.annotations.get(ALLOCATED)
        if not value or worker.sharing is not Sharing.HAMI:
            return None
        place = annotation(ALLOCATED)
        given = self._notes.attempt(pod.entry, place, given_devices, value)
        if given is None:
            return None
        by_uuid = {gpu.uuid: gpu for gpu in worker.gpus if gpu.uuid}
        held: dict[CardId, tuple[int, int, int]] = {}
        for each in given:
            gpu = by_uuid.get(each.uuid)
            if gpu is None:
                message = f"the node has no card {each.uuid[:64]!r}, which the Pod is said to hold"
                self._notes.add(pod.entry, place, message, alike="no such card")
                continue
            memory, compute, places = held.get(gpu.card, (0, 0, 0))
            held[gpu.card] = memory + each.memory_mib, compute + each.compute_milli, places + 1
        return tuple(
            CardBooking(card.index, card.runtime, memory, min(WHOLE_CARD_MILLI, compute), places=places)
            for card, (memory, compute, places) in held.items()
        )

    def _hami_shares(self, pod: BoundPod, worker: Worker, asked: Sequence[HamiRequest]) -> list[CardBooking]:
        """Shares of a Pod that names no cards, assigned like places, container by container.

        Cards of one container differ; two containers may share a card.
        """
        held: dict[CardId, CardBooking] = {}
        for request in asked:
            cards = self._fewest_used(worker, request.cards, held)
            if len(cards) < request.cards:
                there = f"its node has {len(cards)}; only these are booked"
                message = f"the Pod asks for shares of {request.cards} cards, but {there}"
                self._notes.add(pod.entry, _CONTAINERS, message, alike="too few cards")
            for gpu in cards:
                compute = request.compute_milli if request.shares else None
                part = CardBooking(gpu.index, CUDA, request.of_card(gpu.memory_mib), compute)
                held[gpu.card] = _both(held[gpu.card], part) if gpu.card in held else part
        return list(held.values())

    def _fewest_used(self, worker: Worker, count: int, mine: Mapping[CardId, CardBooking]) -> list[Gpu]:
        """Healthy cards in the order in which a container gets them; `mine` is what its Pod holds already."""
        used = Counter(self._used.get(worker.name, {}))
        used.update({card: part.places or 1 for card, part in mine.items()})
        free = [gpu for gpu in worker.gpus if gpu.runtime == CUDA and gpu.healthy]
        return sorted(free, key=lambda gpu: (used[gpu.card], gpu.index))[:count]

    def _kai_shares(self, pod: BoundPod, worker: Worker, share: KaiShare) -> list[CardBooking]:
        """Cards of KAI shares: Pods of one group share a card; each new group gets the lowest free card."""
        cards: list[CardId] = []
        for group in groups_of(pod.labels)[: share.cards]:
            card = self._groups.get((worker.name, group)) or self._next_free(pod, worker, cards)
            if card is not None:
                self._groups[worker.name, group] = card
                cards.append(card)
        while len(cards) < share.cards and (card := self._next_free(pod, worker, cards)):
            cards.append(card)
        return [
            CardBooking(card.index, card.runtime, share.of_card(_memory(worker, card)), share.compute_milli)
            for card in dict.fromkeys(cards)
        ]

    def _next_free(self, pod: BoundPod, worker: Worker, mine: Iterable[CardId]) -> CardId | None:
        kept = {card for (name, _), card in self._groups.items() if name == worker.name}
        used = self._used.get(worker.name, {}).keys() | kept | set(mine)
        card = next((gpu.card for gpu in worker.gpus if gpu.runtime == CUDA and gpu.card not in used), None)
        if card is None:
            message = "the Pod has a share of a card, but no card of its node is left; the share is not booked"
            self._notes.add(pod.entry, "metadata.labels", message, alike="too few cards")
        return card

    def _alnair_share(self, pod: BoundPod, worker: Worker) -> list[CardBooking]:
        uuid = pod.annotations.get("ai.centaurus.io/alnair-gpu-id", "")
        card = next((gpu for gpu in worker.gpus if uuid and gpu.uuid == uuid), None)
        if card is None:
            message = "the Pod does not say which card its share is on; the share is left out"
            self._notes.add(pod.entry, "metadata.annotations", message, alike="which card")
            return []
        request = pod.request
        compute = min(WHOLE_CARD_MILLI, request.share_milli)
        return [CardBooking(card.index, card.runtime, request.share_mib or None, compute or None)]


def _places_of(gpu: Gpu, count: int) -> CardBooking:
    """A booking of `count` places of a card: their part of its memory and compute."""
    places = gpu.places or 1
    memory = None if gpu.memory_mib is None else count * gpu.memory_mib // places
    return CardBooking(gpu.index, gpu.runtime, memory, count * WHOLE_CARD_MILLI // places, places=count)


def _both(one: CardBooking, other: CardBooking) -> CardBooking:
    """The sum of what two containers of a Pod hold of one card."""
    if one.whole or other.whole:
        return CardBooking(one.index, one.runtime)
    known = one.memory_mib is not None and other.memory_mib is not None
    memory = (one.memory_mib or 0) + (other.memory_mib or 0) if known else None
    compute = min(WHOLE_CARD_MILLI, (one.compute_milli or 0) + (other.compute_milli or 0))
    return CardBooking(one.index, one.runtime, memory, compute, places=(one.places or 1) + (other.places or 1))


def _memory(worker: Worker, card: CardId) -> int | None:
    gpu = worker.gpu(card)
    return gpu.memory_mib if gpu else None
