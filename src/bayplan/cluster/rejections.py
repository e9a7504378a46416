"""Every reason for which a worker can be refused, as data; codes are added here and never renamed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RejectionCode:
    """One code: what it says about a worker, whether evicting others may cure it, and what helps.

    `curable` is the rule; a filter that knows better for a row says so in its own reasons.
    """

    code: str
    meaning: str
    curable: bool
    next: str


REJECTION_CODES: tuple[RejectionCode, ...] = (
    RejectionCode(
        "not-ready",
        "The worker does not answer, or reports that it cannot take work.",
        curable=False,
        next="look at the worker, or wait until it is ready",
    ),
    RejectionCode(
        "cordoned",
        "The worker is cordoned (closed to new work) or is being drained.",
        curable=False,
        next="uncordon the worker, or use another one",
    ),
    RejectionCode(
        "taint",
        "The worker has a taint that the workload does not tolerate.",
        curable=False,
        next="add a toleration, or take the taint away",
    ),
    RejectionCode(
        "label-mismatch",
        "The worker's labels do not meet the workload's selector.",
        curable=False,
        next="add the label to the worker, or loosen the selector",
    ),
    RejectionCode(
        "not-selected",
        "The workload names its cards, and none of them is on this worker.",
        curable=False,
        next="add a card of this worker to gpuIds, or leave gpuIds out",
    ),
    RejectionCode(
        "backend-unsupported",
        "The workload's engine does not run on the cards of this worker.",
        curable=False,
        next="choose another backend, or workers of another vendor",
    ),
    RejectionCode(
        "gpu-count-short",
        "Fewer usable cards are free than one replica asks for.",
        curable=True,
        next="ask for fewer cards, wait for some to become free, or add a worker",
    ),
    RejectionCode(
        "gpu-model-mismatch",
        "The worker has no card of a model that the workload accepts.",
        curable=False,
        next="add this worker's model to gpus.models",
    ),
    RejectionCode(
        "gpu-memory-short",
        "There are enough cards, but no set of them has enough free memory.",
        curable=True,
        next="ask for less memory, more cards, or wait for memory to become free",
    ),
    RejectionCode(
        "gpu-compute-short",
        "No set of cards has a large enough share of its compute free.",
        curable=True,
        next="ask for a smaller computePercent, or wait for a share to become free",
    ),
    RejectionCode(
        "mig-unavailable",
        "No instance of the MIG profile is free, and none can be created.",
        curable=True,
        next="ask for another profile, or allow the cards to be reconfigured",
    ),
    RejectionCode(
        "locality",
        "Enough cards are free, but no set of them is linked as gpus.locality asks.",
        curable=True,
        next="loosen gpus.locality, or describe the worker's links and NUMA zones",
    ),
    RejectionCode(
        "bandwidth-short",
        "No set of free cards has the bandwidth asked for between every two of them.",
        curable=True,
        next="lower gpus.minBandwidth, or describe the worker's links",
    ),
    RejectionCode(
        "numa-misaligned",
        "No single NUMA zone has CPU, RAM and cards for the replica.",
        curable=True,
        next="ask for less, or for a worker with larger zones",
    ),
    RejectionCode(
        "cpu-short",
        "Too little CPU is free.",
        curable=True,
        next="ask for less CPU, or wait for some to become free",
    ),
    RejectionCode(
        "resource-short",
        "Too little of a resource that the workload asks for by name is free, or the worker does not offer it.",
        curable=True,
        next="ask for less of it, wait for some to become free, or add a worker that offers it",
    ),
    RejectionCode(
        "ram-short",
        "Too little RAM is free.",
        curable=True,
        next="ask for less RAM, or wait for some to become free",
    ),
    RejectionCode(
        "anti-affinity",
        "A workload or gang that antiAffinity excludes has a booking on this worker.",
        curable=True,
        next="remove its name from antiAffinity, or move it to another worker",
    ),
    RejectionCode(
        "region",
        "The worker is in none of the regions that the workload allows.",
        curable=False,
        next="add the worker's region to regions",
    ),
    RejectionCode(
        "carbon",
        "The grid at the worker emits more than the workload allows.",
        curable=False,
        next="raise maxCarbonGramsPerKwh, or wait for a cleaner hour",
    ),
    RejectionCode(
        "cost",
        "The worker costs more than what is left of the workload's limit.",
        curable=False,
        next="raise cost.maxUsdPerHour, or ask for fewer replicas",
    ),
    RejectionCode(
        "spot",
        "The worker is a spot machine, and the workload excludes those or has its maximum of replicas there.",
        curable=False,
        next="allow cost.spot, or raise cost.maxSpotPercent",
    ),
    RejectionCode(
        "quota",
        "The owner of the workload has used up what it may hold.",
        curable=True,
        next="release other workloads of the same owner, or raise its quota",
    ),
    RejectionCode(
        "gang-short",
        "Some members would fit, but fewer than the gang's minimum.",
        curable=True,
        next="lower gang.minimum, or wait for room for all",
    ),
    RejectionCode(
        "domain-spread",
        "Another replica here would make the domains of spreadOver uneven.",
        curable=True,
        next="add room in the other domains, or leave spreadOver out",
    ),
    RejectionCode(
        "unknown-capacity",
        "The workload asks for something that is not known about this worker.",
        curable=False,
        next="state the worker's cpu, ram or card memory",
    ),
    RejectionCode(
        "unknown-need",
        "How much the workload needs is not known, or one of its demands is not understood.",
        curable=False,
        next="give the number or the model's files that the message names; write the demand in a form that is read",
    ),
    RejectionCode(
        "not-evaluated",
        "An earlier filter refused the worker, so this filter, which compares workers, did not check it.",
        curable=False,
        next="look at the other reasons of this worker",
    ),
    RejectionCode(
        "not-scored",
        "The worker passed every filter but was left out of the sample that was scored.",
        curable=False,
        next="raise maxWorkersToScore",
    ),
)


@dataclass(frozen=True, slots=True)
class NotKnown:
    """A fact without which a worker cannot be judged: what it is, in a sentence, and what helps."""

    name: str
    what: str
    next: str


FACTS: tuple[NotKnown, ...] = (
    NotKnown("price", "the price", "give the worker's usdPerHour, or drop cost.maxUsdPerHour"),
    NotKnown("carbon", "the carbon intensity", "give the worker's carbonGramsPerKwh, or drop maxCarbonGramsPerKwh"),
    NotKnown("cpu", "the CPU", "give the worker's cpu, or ask for no cpu"),
    NotKnown("ram", "the RAM", "give the worker's ram, or ask for no ram"),
    NotKnown("card-memory", "the memory of the cards", "give the memory of the worker's cards, or ask for whole cards"),
    NotKnown("links", "how the cards are linked", "describe the worker's links, or ask for no links between cards"),
    NotKnown("sockets", "the sockets of the cards", "give the numa of the worker's cards, or drop gpus.locality"),
    NotKnown("need", "what one replica needs", "give the number that the message names"),
)
NOT_KNOWN: dict[str, NotKnown] = {fact.name: fact for fact in FACTS}


REJECTIONS: dict[str, RejectionCode] = {rejection.code: rejection for rejection in REJECTION_CODES}
"""The same, by code."""
