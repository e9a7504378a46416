from bayplan.library.status.tool_binding import tool_binding_status
from unit.library.status.observed import NOW, told, with_status

BINDING = {"kind": "ToolBinding", "metadata": {"name": "t", "generation": 1}, "spec": {}}
IDLE, BUSY = {"status": {"readyReplicas": 0}}, {"status": {"readyReplicas": 2}}


def test_the_pool_comes_and_goes():
    document, seen = BINDING, []
    for name, pool in (("", None), ("p", None), ("p", {}), ("p", IDLE), ("p", BUSY), ("p", IDLE), ("p", None)):
        status = tool_binding_status(document, name, pool, NOW)
        document = with_status(document, status)
        seen.append((status["phase"], told(status, "Ready")[1]))

    assert seen == [
        ("Pending", "NoPool"),
        ("Pending", "PoolNotFound"),
        ("Bound", "PoolNotReady"),
        ("Bound", "PoolNotReady"),
        ("Active", "PoolReady"),
        ("Bound", "PoolNotReady"),
        ("Pending", "PoolNotFound"),
    ]
