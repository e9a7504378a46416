"""What a scorer says of workers, through a whole decision: scores and the notes beside them."""

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.placement.decision.foresight import Foresight
from bayplan.placement.filters.gpu_fit import GpuFit
from bayplan.placement.packing.mix import Mix
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.chosen_cards import ChosenCards
from bayplan.placement.producers.usable_cards import UsableCards
from unit.placement.builders import subject


def terms(scorer, asked, *workers, bookings=(), mix=None):
    """By worker, as far as the cards fit: the scorer's term; `mix` are asks with their frequencies."""
    snapshot = Snapshot.load(workers, bookings)
    if mix is not None:
        Foresight(snapshot, Mix(mix))
    producers = (UsableCards(), CardFit(), ChosenCards())
    profile = Profile("p", MaxScore(), filters=(GpuFit(),), scorers=(scorer,), producers=producers)
    scheduler = Scheduler([profile], SingleProfile(), table=snapshot.table)
    explanation = scheduler.schedule(subject(), asked, explained=True).explanations["p"]
    return {ranked.key: ranked.terms[0] for ranked in explanation.ranked()}


def score(scorer, asked, on, *, bookings=()):
    return terms(scorer, asked, on, bookings=bookings)[on.name].score


def note(scorer, asked, on, *, bookings=()):
    return terms(scorer, asked, on, bookings=bookings)[on.name].note


def seen(*cards, age_s=5.0, **host):
    """Measurements of cards 0, 1 … and of their host; a card is its fields."""
    gpus = tuple(GpuUtilization(index, **fields) for index, fields in enumerate(cards))
    return Utilization(age_s=age_s, gpus=gpus, **host)
