"""Whose request it is."""

import pytest

from bayplan.routing.producers.agent_identity import AgentIdentity

CASES = {
    "nobody's": ((), {}, None),
    "Claude Code": ((), {"x-claude-code-session-id": "c", "session_id": "s"}, "c"),
    "in this order": ((), {"session-id": "b", "x-session-affinity": "a"}, "a"),
    "the last one": ((), {"session_id": "s"}, "s"),
    "an own header first": (("X-My-Agent",), {"x-my-agent": "m", "x-claude-code-session-id": "c"}, "m"),
    "an empty header is none": ((), {"x-claude-code-session-id": "", "session-id": "b"}, "b"),
}  # fmt: skip


@pytest.mark.parametrize(("own", "headers", "wanted"), CASES.values(), ids=CASES)
def test_identity(own, headers, wanted):
    assert AgentIdentity(own).identity(headers) == wanted
