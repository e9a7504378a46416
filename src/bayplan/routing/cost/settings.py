"""The constants of our own policy, each with what it does when it grows."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bayplan.framework.errors import InputError


@dataclass(frozen=True, slots=True)
class CostSettings:
    """Constants of the cost, of holding and of the learnt rate.

    They were fixed by measurement; doubling or halving one changes the load that a pool carries by a few per cent.
    `token_s` is a guess: the learnt rate corrects it.

    Parameters:
        token_s: seconds that an engine is believed to need for one token of a prompt.
        base_penalty: how many times the seconds of its own prefill a request counts as harm to others.
        queue_price: how much that grows for each request that waits per engine.
        ageing: seconds of prefill that one second of waiting makes up for in the order of held requests.
        overtaking_s: nobody is overtaken by a request that arrived later than this after it.
        hold_tokens: an engine gets another request only while it has fewer uncached tokens before its first tokens.
        resident_weight: seconds of prefill that one token of a running request counts for, as a share of `token_s`.
        most_weighed: how many held requests are looked at in one pass, the first in the order.
        running_share: at most this share of the oldest request's predicted prefill is taken as done (early).
        rate_ring: how many observations of an engine's rate are remembered.
        rate_bucket_s: an observation is made of at least so many predicted seconds.
        dead_band: engines whose rates differ from the median by less than this factor count as equal.
        block_tokens: tokens of a block of the index of prefixes.
        default_capacity_tokens: the KV cache of an engine that does not tell its size.
    """

    token_s: float = 1e-4
    base_penalty: float = 2.0
    queue_price: float = 1.0
    ageing: float = 0.25
    overtaking_s: float = 30.0
    hold_tokens: int = 2048
    resident_weight: float = 0.02
    most_weighed: int = 256
    running_share: float = 0.9
    rate_ring: int = 32
    rate_bucket_s: float = 1.0
    dead_band: float = 1.3
    block_tokens: int = 64
    default_capacity_tokens: int = 500_000

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            least = _LEAST.get(each.name, 0.0)
            if not least <= value < float("inf"):
                raise InputError(f"{value} is less than {least:g} or no number", place=each.name)
        if not self.token_s:
            raise InputError("is 0", place="token_s", next="guess the seconds of one prompt token, such as 0.0001")


_LEAST = {"most_weighed": 1, "rate_ring": 1, "dead_band": 1.0, "block_tokens": 1, "hold_tokens": 1}
