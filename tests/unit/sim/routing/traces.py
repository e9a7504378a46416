"""Small traces and engines: a prompt token takes 1 ms, a step 10 ms, a block has 100 tokens."""

from bayplan.sim.engine.batching.timing import Profile, Timing
from bayplan.sim.routing.engine_spec import EngineSpec
from bayplan.sim.routing.trace import Trace, TraceRequest

PROFILE = Profile("tiny", Timing(0.01, 0.001, 0.0, 0.0), 5_000, 1_000, 1, 5_000)
SPEC = EngineSpec(PROFILE)


def request(id_, arrived_s=0.0, *blocks, tokens=None, output=1):
    """A prompt of these blocks of 100 tokens, or of so many tokens."""
    return TraceRequest(str(id_), arrived_s, len(blocks) * 100 if tokens is None else tokens, output, blocks)


def trace(*requests):
    return Trace("tiny", requests, 100)


def turns(count, gap_s=1.0, conversations=2):
    """Conversations whose prompts grow by a block each turn, one request after the other."""
    found = []
    for number in range(count):
        which, turn = number % conversations, number // conversations
        blocks = [1000 * (which + 1) + place for place in range(turn + 3)]
        found.append(request(number, number * gap_s, *blocks, tokens=len(blocks) * 100 + 50, output=3))
    return trace(*found)
