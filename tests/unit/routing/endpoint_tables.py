"""Tables of endpoints and requests that say only what matters, and plugins asked about them."""

from dataclasses import replace

import pytest

from bayplan.framework.contract_check import assert_contract
from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import InputError
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.routing.endpoints.columns import AGELESS, STATE, STATIC
from bayplan.routing.endpoints.prefix_match import PrefixMatch
from bayplan.routing.handlers.single_profile_handler import SingleProfileHandler
from bayplan.routing.hooks import Sent
from bayplan.routing.requests.routed_request import Prompt, RoutedRequest

UNKNOWN = {"waiting": None, "running": None, "kv_usage": None, "block_size": None, "blocks": None}
ENDPOINT = {
    "labels": {}, "role": "", "ready": True, "metrics_at_s": AGELESS, "kv_token_capacity": None,
    "lora_active": frozenset(), "lora_waiting": frozenset(), "lora_max": 0, "inflight_requests": 0,
    "inflight_tokens": 0, "reserved_waiting": 0, "attributes": {},
    "predicted_ttft_ms": None, "predicted_tpot_ms": None, **UNKNOWN,
}  # fmt: skip


class ComparedRequest(RoutedRequest):
    """A request that is equal to its copies, which the contract check makes."""

    def __eq__(self, other):
        return self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __deepcopy__(self, memo):
        return replace(self, notes={})


def request(id="r", *, tokens=None, text=None, **fields):  # noqa: A002
    """A request with one prompt of these tokens or this text, or with none."""
    prompts = fields.pop("prompts", ())
    if tokens is not None:
        prompts = (Prompt(tuple(tokens)),)
    elif text is not None:
        prompts = (Prompt(text=text),)
    fields.setdefault("prompt_tokens", sum(prompt.tokens for prompt in prompts))
    return ComparedRequest(id, model=fields.pop("model", "m"), prompts=prompts, **fields)


def endpoints(*given, **columns):
    """A table with a row for each mapping; names are a, b, c … Columns that a producer would make are given whole."""
    rows = [endpoint(place, **each) for place, each in enumerate(given)]
    return ListTable(
        static={name: [row[name] for row in rows] for name in STATIC},
        state={name: [row[name] for row in rows] for name in STATE} | columns,
        keys=[row["name"] for row in rows],
    )


def endpoint(place, **given):
    name, ip = given.get("name", chr(ord("a") + place)), f"10.0.0.{place + 1}"
    own = {"name": name, "full_name": f"default/{name}", "address": f"{ip}:8000", "ip": ip, "encoder_cache": set()}
    return ENDPOINT | own | given


def match(matched, total, size=16):
    return PrefixMatch(matched, total, size)


def scores(plugin, table, asked=None, *, now=0.0, seed=0):
    """What the scorer says of each endpoint, by name."""
    explanation = explained(Profile("p", MaxScore(), scorers=(plugin,)), table, asked, now=now, seed=seed)
    return {each.key: each.terms[0].score for each in explanation.ranked()}


def kept(plugin, table, asked=None, *, now=0.0, seed=0):
    """The names of the endpoints that the filter keeps."""
    explanation = explained(Profile("p", MaxScore(), filters=(plugin,)), table, asked, now=now, seed=seed)
    return {each.key for each in explanation.ranked()}


def codes(plugin, table, asked=None, *, now=0.0, seed=0):
    """The codes with which the filter refuses endpoints, by name; each has a sentence."""
    explanation = explained(Profile("p", MaxScore(), filters=(plugin,)), table, asked, now=now, seed=seed)
    rejections = explanation.rejections()
    assert all(each.message for reasons in rejections.values() for each in reasons)
    return {table.keys[row]: [each.code for each in reasons] for row, reasons in rejections.items()}


def explained(profile, table, asked, *, now, seed):
    scheduler = Scheduler([profile], SingleProfileHandler(), table=table)
    outcome = scheduler.schedule(asked or request(), now=now, seed=seed, explained=True)
    return outcome.explanations["p"]


def keeps_its_promises(plugin, table, asked=None):
    """The framework's contract check, with requests that matter to the plugin."""
    asked = [*(asked or ()), request("none")]
    assert_contract(plugin, table, asked, subject=asked[0])


def sent_to(table, row=0, *, prefill=None, **further):
    """A request that went to the endpoint of this row, and by profile to others."""
    rows = {"p": (row,), **further}
    if prefill is not None:
        rows["prefill"] = (prefill,)
    return Sent(rows, "p", None if prefill is None else "prefill", table)


def cycle(subject=None, *, now=0.0, seed=0):
    return Cycle(subject or request(), subject or request(), now=now, seed=seed)


def refused_at(factory, **parameters):
    """The parameter that is refused."""
    with pytest.raises(InputError) as caught:
        factory(**parameters)
    assert caught.value.next
    return caught.value.place
