from bayplan.sim.routing.agent_trace import KINDS, LONGEST_TOKENS, agent_trace
from bayplan.sim.routing.trace import BLOCK_TOKENS, sessions


def test_the_seed_decides():
    assert agent_trace(5, 100.0, 1).requests == agent_trace(5, 100.0, 1).requests
    assert agent_trace(5, 100.0, 1).requests != agent_trace(5, 100.0, 2).requests


def test_every_prompt_has_its_blocks_and_arrivals_are_in_order():
    requests = agent_trace(40, 100.0).requests

    assert all(len(each.blocks) == -(-each.prompt_tokens // BLOCK_TOKENS) for each in requests)
    assert all(1 <= each.prompt_tokens <= LONGEST_TOKENS and each.output_tokens >= 1 for each in requests)
    assert [each.arrived_s for each in requests] == sorted(each.arrived_s for each in requests)


def test_turns_continue_each_other_and_agents_of_a_kind_begin_alike():
    trace = agent_trace(40, 100.0)

    turns = sorted(map(len, sessions(trace).values()))
    assert turns[len(turns) // 2] > 2
    assert len({each.blocks[0] for each in trace.requests}) <= KINDS
