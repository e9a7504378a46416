from bayplan.library.status.agent_class import agent_class_status
from unit.library.status.observed import NOW, told, with_status

CLASS = {"kind": "AgentClass", "metadata": {"name": "c", "generation": 1}, "spec": {}}


def test_the_model_comes_and_goes():
    document, seen = CLASS, []
    for name, found, pools in (("", False, 0), ("m", False, 1), ("m", True, 2), ("m", False, 2)):
        status = agent_class_status(document, name, found, pools, NOW)
        document = with_status(document, status)
        seen.append((status["phase"], status["activePools"], told(status, "Ready")))

    assert seen == [
        ("Pending", 0, ("False", "NoModel")),
        ("Pending", 1, ("False", "ModelNotFound")),
        ("Ready", 2, ("True", "ModelFound")),
        ("Pending", 2, ("False", "ModelNotFound")),
    ]
