"""`bayplan tour`: a short tour of what works today. Everything it prints comes from the library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.cli.card_text import gib
from bayplan.cli.output import Format, Part, Sheet, Title, Verbatim, emit
from bayplan.cli.own_command import own_command
from bayplan.cli.plan_text import plan_parts
from bayplan.cli.tour_fleet import CHAT, FLEET, MODEL, TRAINING, long_chat
from bayplan.cli.why_text import why_parts
from bayplan.cluster.readable import format_mib
from bayplan.library.estimate import estimate
from bayplan.library.gpus import gpus
from bayplan.library.plan import plan
from bayplan.library.why import why

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHANGE = {"distributed": True}
_CARDS_SHOWN = 3  # the table of cards is an example here, not the answer
_EXAMPLES = ("examples/workloads/chat-70b.yaml", "examples/clusters/mixed-fleet.yaml")


def tour(*, output: Format = "table") -> None:
    """Take a short tour: a model's need, its place, why another does not fit, the change that helps, and a gang.

    The fleet and the models are its own; no file is read or written.
    """
    need = estimate(**MODEL, pp=1)
    free = gpus(FLEET)
    placed = plan(CHAT, FLEET)
    refused = why(long_chat(), FLEET)
    changed = plan(long_chat(**CHANGE), FLEET)
    gang = plan(TRAINING, FLEET)
    document = {"kind": "Tour", "items": [need, free, placed, refused, changed, gang]}
    wide = output == "wide"
    emit(
        document,
        output,
        *_station(1, "What a 70B model needs for 16 requests of 16,384 tokens (bayplan estimate)", _need(need)),
        *_station(2, "What is free on a small fleet (bayplan gpus)", _free(free)),
        *_station(3, "Where the model goes (bayplan plan)", plan_parts(placed)),
        *_station(
            4, "Ten requests of 131,072 tokens: why it does not fit (bayplan why)", why_parts(refused, wide=wide)
        ),
        *_station(5, "One of these changes, made: distributed: true", plan_parts(changed)),
        *_station(6, "A gang on linked cards, and the bookings that it would replace", plan_parts(gang)),
        *_next_steps(),
    )


def _station(number: int, title: str, parts: Iterable[Part]) -> Iterator[Part]:
    yield Title(f"{number}. {title}")
    yield from parts
    yield ""


def _need(need: dict[str, Any]) -> Iterator[Part]:
    weights, kv_cache = format_mib(need["weights_mib"]), format_mib(need["kv_mib"])
    yield f"weights {weights}, KV cache {kv_cache}, with engine and activations {format_mib(need['total_mib'])}"
    rows = [(str(each["gpus"]), gib(each["mib"]), _names(each["fits"])) for each in need["per_gpu"]]
    yield Sheet(("CARDS", "GiB PER CARD", "FITS ON"), rows, sentences=("FITS ON",))


def _names(names: list[str]) -> str:
    more = len(names) - _CARDS_SHOWN
    return ", ".join(names[:_CARDS_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _free(free: dict[str, Any]) -> Iterator[Part]:
    rows = [
        (each["model"], *(str(each[key]) for key in ("cards", "whole", "shared", "held")), gib(each["free_mib"]))
        for each in free["models"]
    ]
    yield Sheet(("MODEL", "CARDS", "WHOLE", "SHARED", "HELD", "FREE GiB"), rows)


def _next_steps() -> Iterator[Part]:
    command = own_command()
    yield Title("Next")
    rows = [
        (f"{command} plan {_files()}", "the same from files"),
        (f"{command} why {_files()}", "every worker, every check"),
        (f"{command} inventory kubernetes -f NODES.json", "your own cluster, from kubectl get nodes,pods -A -o json"),
        (f"{command} estimate FOLDER", "what a model of yours needs, from its config.json and headers"),
        (f"{command} plugins", "the filters and scorers that a configuration may name"),
        (f"{command} COMMAND --help", "everything else"),
    ]
    for line, about in rows:
        yield from (f"  # {about}", Verbatim(f"  {line}"))


def _files() -> str:
    """The example files that exist: in a clone of the repository the reader can try them."""
    here = Path(_EXAMPLES[0]).exists() and Path(_EXAMPLES[1]).exists()
    workload, cluster = _EXAMPLES if here else ("WORKLOAD", "CLUSTER")
    return f"-f {workload} --cluster {cluster}"
