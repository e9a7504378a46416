"""Accounts and prompts of the tests of our own policy: blocks of 10 tokens, 0.1 s a token, all sizes small."""

from random import Random

from bayplan.routing.cost.cost_account import CostAccount
from bayplan.routing.cost.held_queue import HeldQueue
from bayplan.routing.cost.prompt_work import Work
from bayplan.routing.cost.settings import CostSettings
from bayplan.routing.prefix.block_hashes import Chain

SETTINGS = CostSettings(token_s=0.1, block_tokens=10, hold_tokens=20, default_capacity_tokens=1_000)


def account(**changed):
    fields = {name: getattr(SETTINGS, name) for name in SETTINGS.__slots__} | changed
    return CostAccount(CostSettings(**fields))


def work(id_, *blocks, tokens=None):
    """A prompt of these blocks; a few more tokens where `tokens` says so."""
    size = SETTINGS.block_tokens
    return Work(id_, len(blocks) * size if tokens is None else tokens, (Chain(blocks, len(blocks)),), size)


def queue(of, seed=0):
    return HeldQueue(of, Random(seed))  # noqa: S311
