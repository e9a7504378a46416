"""Gangs inside one domain whose members take slices, one of several models, or cards of several workers."""

from hypothesis import strategies as st

from properties.placement.documents import said
from properties.placement.domain_rules import LEVELS, domain

MODELS = ("H100-SXM5-80GB", "A100-SXM4-80GB")
PROFILES = ("1g.5gb", "2g.10gb")
SLICES = {"1g.5gb": [0, 1], "2g.10gb": [2, 4]}


@st.composite
def roomy_clusters(draw):
    """Workers with cards of one model and one card that is cut into fixed slices; others hold a part."""
    workers, bookings = [], []
    for number in range(draw(st.integers(1, 5))):
        name, count = f"w{number}", draw(st.integers(0, 5))
        cards = [{"index": each, "model": draw(st.sampled_from(MODELS)), "memory": "80Gi"} for each in range(count)]
        cut = [{"profile": profile, "start": start} for profile, starts in SLICES.items() for start in starts]
        cards.append(
            {"index": count, "model": "A100-SXM4-40GB", "memory": "40Gi", "mig": {"enabled": True, "slices": cut}}
        )
        place = {"zone": draw(st.sampled_from(("x", "y"))), "rack": draw(st.sampled_from(("k", "l", None)))}
        workers.append({"name": name, "gpus": cards, **said(**place)})
        held = [each for each in [*range(count), *cut] if draw(st.sampled_from((False, False, True)))]
        for part in held:
            gpu = {"index": part} if isinstance(part, int) else {"index": count, "mig": part}
            bookings.append({"workload": f"b{len(bookings)}", "replica": 0, "worker": name, "gpus": [gpu]})
    return {"workers": workers, "bookings": bookings}


@st.composite
def gangs(draw):
    """A gang of equal members that are not counted as copies on one worker."""
    gpus = draw(
        st.sampled_from(
            (
                *({"mig": profile} for profile in PROFILES),
                *({"count": count, "models": models} for count in (1, 2) for models in (["H100", "A100-SXM4-80GB"],)),
                *({"count": count, "models": ["A100-SXM4-80GB", "H100"]} for count in (2, 3)),
                *({"count": count} for count in (1, 2, 3)),
            )
        )
    )
    spans = draw(st.booleans()) and "mig" not in gpus
    gang = {"within": draw(st.sampled_from(LEVELS))}
    return {"gpus": gpus, "replicas": draw(st.integers(1, 4)), "gang": gang, **({"distributed": True} if spans else {})}


def rooms(cluster, spec):
    """How many members each domain of the level could hold now."""
    found, level = {}, spec["gang"]["within"]
    for name in {domain(worker, level) for worker in cluster["workers"]} - {None}:
        inside = [worker for worker in cluster["workers"] if domain(worker, level) == name]
        found[name] = _room(inside, cluster["bookings"], spec)
    return found


def _room(workers, bookings, spec):
    gpus = spec["gpus"]
    if "mig" in gpus:
        return sum(_free_slices(worker, bookings, gpus["mig"]) for worker in workers)
    free = [_free_cards(worker, bookings) for worker in workers]
    if spec.get("distributed"):
        return sum(sum(each[model] for each in free) // gpus["count"] for model in MODELS)
    return sum(each[model] // gpus["count"] for each in free for model in MODELS)


def _held(worker, bookings):
    return [part for each in bookings if each["worker"] == worker["name"] for part in each["gpus"]]


def _free_slices(worker, bookings, profile):
    return len(SLICES[profile]) - sum(part.get("mig", {}).get("profile") == profile for part in _held(worker, bookings))


def _free_cards(worker, bookings):
    held = [part["index"] for part in _held(worker, bookings) if "mig" not in part]
    return {
        model: sum(card["model"] == model and card["index"] not in held for card in worker["gpus"]) for model in MODELS
    }
