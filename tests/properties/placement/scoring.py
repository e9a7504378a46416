"""The scores of seed 000, from documents and the cards that a plan names."""

from fractions import Fraction

from properties.placement.dividing import need_of
from properties.placement.fleet import backend_of


def binpack(spec, host, part, replica):
    """(r + 2·g) / 3 of a worker and the cards it gives; r alone without cards."""
    ram = part["ram_mib"]
    asked = min(Fraction(1), Fraction(ram, max(1, host.ram))) if ram else Fraction(0)
    if not part["gpus"]:
        return float(asked)
    cards = {(card.runtime, card.index): card for card in host.cards}
    parts = [_part(spec, replica, gpu, cards[gpu["runtime"], gpu["index"]]) for gpu in part["gpus"]]
    return float((asked + 2 * min(Fraction(1), max(parts))) / 3)


def _part(spec, replica, gpu, card):
    """Of the card's free memory what is needed; of its free compute, where nothing else is asked for."""
    if "model" not in spec and "memory" not in spec["gpus"]:
        return Fraction(spec["gpus"].get("computePercent", 0), max(1, card.compute))
    return Fraction(need(spec, replica, gpu), max(1, card.free))


def need(spec, replica, gpu):
    """What counts is the model's need, not what a flag books; by layers it is what the card holds."""
    if "model" not in spec:
        return spec["gpus"].get("memory", 0)
    if backend_of(spec) == "llama-cpp":
        return gpu["memory_mib"]
    return need_of(spec["model"], replica["tp"], replica["pp"])


def spread(name, hosts, host, gpus):
    """The spread of a worker among those that passed the filters, with the cards it gives."""
    mine = {each.name: sum(booking["workload"] == name for booking in each.bookings) for each in hosts}
    others = {each.name: len(each.bookings) - mine[each.name] for each in hosts}
    few_mine, few_others = _inverse(mine)[host.name], _inverse(others)[host.name]
    if 0 not in mine.values():
        part = 0.50 + 0.25 * few_mine + 0.15 * few_others
    elif mine[host.name] == 0:
        part = 0.85 + 0.15 * few_others
    else:
        part = 0.45 + 0.35 * few_mine + 0.20 * few_others
    if not gpus:
        return part
    alone = [_alone(name, host, (gpu["runtime"], gpu["index"])) for gpu in gpus]
    return 0.85 * part + 0.15 * sum(alone) / len(alone)


def _alone(name, host, card):
    on_card = [
        booking["workload"] == name
        for booking in host.bookings
        if card in [(part["runtime"], part["index"]) for part in booking["gpus"]]
    ]
    return 1 / (1 + sum(on_card) + 0.2 * (len(on_card) - sum(on_card)))


def _inverse(counts):
    low, high = min(counts.values()), max(counts.values())
    return {key: 1 - (value - low) / (high - low) if high > low else 1 for key, value in counts.items()}
