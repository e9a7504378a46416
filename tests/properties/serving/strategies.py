"""Small clusters of servers, bookings on them, and models: few values, so that they meet each other."""

from __future__ import annotations

from hypothesis import strategies as st

from bayplan.cluster.serving_booking import LoadState

CAPABILITIES = ("sklearn", "onnx", "alibi-explain")
SIZES = (0, 10, 20, 30, 50, 70, 100)
NAMES = ("iris", "income", "wine", "mnist")

capabilities = st.lists(st.sampled_from(CAPABILITIES), unique=True)
sizes = st.sampled_from(SIZES)


@st.composite
def replicas(draw):
    number = draw(st.integers(0, 3))
    return [
        {
            "index": index,
            "memory": draw(st.sampled_from([None, 30, 50, 100, 100, 150])),
            "capabilities": draw(capabilities),
            "overcommitPercent": draw(st.sampled_from([0, 0, 10, 50])),
            "reserved": draw(st.sampled_from([0, 0, 20])),
            "draining": draw(st.sampled_from([False, False, False, True])),
        }
        for index in range(number)
    ]


@st.composite
def servers(draw, most=3):
    """Every field is given, as the oracle wants it."""
    found = []
    for number in range(draw(st.integers(1, most))):
        given = draw(replicas())
        low = draw(st.sampled_from([None, 0, 1]))
        found.append(
            {
                "name": f"server-{'abc'[number]}",
                "shared": draw(st.sampled_from([True, True, True, False])),
                "capabilities": draw(capabilities),
                # null counts as absent: a replica cannot take back what its server says
                "memory": None if any(each["memory"] is None for each in given) else draw(st.sampled_from([None, 100])),
                "overcommitPercent": 0,
                **({} if low is None else {"minReplicas": low, "maxReplicas": 4}),
                "expectedReplicas": draw(st.sampled_from([len(given), len(given), len(given) + 1, 0])),
                "replicas": given,
            }
        )
    return found


@st.composite
def bookings(draw, on, most=6):
    places = [(server["name"], each["index"]) for server in on for each in server["replicas"]]
    if not places:
        return []
    found = []
    for _ in range(draw(st.integers(0, most))):
        server, index = draw(st.sampled_from(places))
        found.append(
            {
                "workload": draw(st.sampled_from(NAMES)),
                "version": draw(st.integers(1, 2)),
                "server": server,
                "serverReplica": index,
                "memory": draw(st.sampled_from([0, 10, 20, 30])),
                "state": draw(st.sampled_from(list(LoadState))).value,
                "instances": draw(st.sampled_from([1, 1, 1, 2])),
                "dedicated": draw(st.sampled_from([False, False, False, True])),
            }
        )
    return found


@st.composite
def models(draw, name=None):
    """A model as the oracle wants it; `document` makes the Model of it."""
    wanted = draw(st.integers(0, 3))
    return {
        "name": name or draw(st.sampled_from(NAMES)),
        "version": draw(st.sampled_from([None, None, None, 1, 2])),
        "replicas": wanted,
        "minReplicas": draw(st.integers(0, wanted)),
        "requirements": draw(st.lists(st.sampled_from(CAPABILITIES[:2]), unique=True, max_size=1)),
        "explainer": draw(st.sampled_from([False, False, False, True])),
        "memory": draw(sizes),
        "server": draw(st.sampled_from([None, None, None, "server-a", "server-z"])),
        "dedicated": draw(st.sampled_from([False, False, False, True])),
        "preloaded": draw(st.sampled_from([False] * 6 + [True])),
    }


def document(model):
    version = {} if model["version"] is None else {"annotations": {"bayplan.io/version": str(model["version"])}}
    spec = {
        "storageUri": "gs://models/x",
        "memory": f"{model['memory']}Mi",
        "requirements": model["requirements"],
        "replicas": model["replicas"],
        "minReplicas": model["minReplicas"],
        "server": model["server"],
        "dedicated": model["dedicated"],
        "preloaded": model["preloaded"],
        **({"explainer": {"type": "anchor_tabular"}} if model["explainer"] else {}),
    }
    return {
        "apiVersion": "mlops.seldon.io/v1alpha1",
        "kind": "Model",
        "metadata": {"name": model["name"], **version},
        "spec": spec,
    }
