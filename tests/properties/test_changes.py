"""Every change that `why` names, made by hand in the documents, fits; the next milder one does not."""

from __future__ import annotations

import copy

from hypothesis import event, given, settings, strategies as st

import bayplan

CARDS = [("A100-SXM4-80GB", "80Gi"), ("L40S", "48Gi"), ("T4", "16Gi")]
ARCHITECTURE = {"heads": 32, "kvHeads": 8, "layers": 32, "vocabSize": 128256, "hiddenSize": 4096}
TAINT = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}


def rarely(strategy):
    return st.one_of(st.none(), st.none(), strategy)


def present(**fields):
    """A mapping without what is absent."""
    return st.fixed_dictionaries(fields).map(
        lambda drawn: {key: value for key, value in drawn.items() if value not in (None, {})}
    )


@st.composite
def workers(draw):
    model, memory = draw(st.sampled_from(CARDS))
    gpus = {"count": draw(st.integers(1, 4)), "model": model, "memory": memory}
    others = draw(
        present(
            usdPerHour=st.sampled_from([1, 2.505, 9]),
            ram=st.just("64Gi"),
            cpu=st.just(16),
            labels=rarely(st.just({"zone": "z1"})),
            taints=rarely(st.just([TAINT])),
            status=rarely(st.sampled_from(["cordoned", "not-ready"])),
            region=st.sampled_from(["r1", "r2"]),
            carbonGramsPerKwh=st.sampled_from([50, 200, 400]),
        )
    )
    return {"gpus": gpus, **others}


@st.composite
def clusters(draw):
    fleet = [{"name": f"w{number}", **draw(workers())} for number in range(draw(st.integers(1, 4)))]
    bookings = []
    for worker in fleet:
        for index in range(worker["gpus"]["count"]):
            size = draw(rarely(st.sampled_from([None, 4096, 12000])) | st.just(0))
            if size == 0:
                continue
            card = {"index": index} if size is None else {"index": index, "memory": size}
            gang = draw(rarely(st.just("g")))
            bookings.append(
                {
                    "workload": gang or draw(st.sampled_from(["x", "y"])), "replica": len(bookings),
                    "worker": worker["name"], "gpus": [card], "priority": draw(st.integers(0, 4)),
                    **({"gang": gang} if gang else {}),
                }
            )  # fmt: skip
    return {"workers": fleet, "bookings": bookings}


MODELS = present(
    weights=st.sampled_from(["10Gi", "30Gi", "70Gi", "140Gi"]),
    context=st.sampled_from([4096, 40000, 131072]),
    concurrency=st.integers(1, 12),
    kvCache=rarely(st.sampled_from(["1Gi", "40Gi"])),
    overhead=st.just("1Gi"),
    architecture=st.just(ARCHITECTURE),
)
SERVED = present(
    model=MODELS,
    backend=st.builds(
        lambda name, args: {"name": name, "args": args if name == "vllm" else []},
        st.sampled_from(["vllm", "sglang", "llama-cpp", "custom"]),
        st.sampled_from([[], ["--tensor-parallel-size=4"], ["--gpu-memory-utilization=0.9"]]),
    ),
    gpus=rarely(present(count=rarely(st.integers(1, 4)), models=rarely(st.just(["A100"])))),
)
JOBS = present(
    gpus=present(
        count=st.integers(1, 5),
        memory=rarely(st.sampled_from(["10Gi", "60Gi"])),
        models=rarely(st.just(["T4"])),
        cardMemory=rarely(st.just("40Gi")),
    )
)
LIMITS = {
    "gang": st.sampled_from([{"minimum": 2}, {"minimum": 4}]),
    "ram": st.sampled_from(["32Gi", "100Gi"]),
    "cpu": st.sampled_from([4, 40]),
    "selector": st.sampled_from([{"matchLabels": {"zone": "z1"}}, {"matchLabels": {"zone": "z1", "rack": "k"}}]),
    "regions": st.just(["r1"]),
    "maxCarbonGramsPerKwh": st.just(100),
    "cost": st.just({"maxUsdPerHour": 2}),
    "antiAffinity": st.just(["x"]),
    "gpuIds": st.just(["w0:cuda:0"]),
    "distributed": st.just(True),
}


@st.composite
def limits(draw):
    """At most two: of more than that no single change, and no pair, would help."""
    names = draw(st.lists(st.sampled_from(list(LIMITS)), max_size=2, unique=True))
    always = {"replicas": draw(st.sampled_from([1, 1, 1, 2, 5])), "priority": draw(st.integers(0, 4))}
    return {**always, **{name: draw(LIMITS[name]) for name in names}}


SPECS = st.builds(lambda asked, limited: {**limited, **asked}, SERVED | JOBS, limits())


def put(spec, field, value):
    *path, last = field.split(".")
    for name in path:
        spec = spec.setdefault(name, {})
    if value is None:
        spec.pop(last, None)
    else:
        spec[last] = value


def by_hand(change, value, spec, cluster):
    """The change in the documents, with this value in the place of its `to`."""
    field = change["field"]
    match field:
        case "selector":
            key, _, _ = change["from"].partition("=")
            del spec["selector"]["matchLabels"][key]
        case "antiAffinity":
            spec["antiAffinity"] = [name for name in spec["antiAffinity"] if name != change["from"]]
        case "tolerations":
            spec["tolerations"] = [*spec.get("tolerations", ()), value]
        case "backend.args":
            spec["backend"]["args"] = [word for word in spec["backend"]["args"] if word not in change["from"].split()]
        case "model.weights":
            put(spec, field, value["weights_mib"])
        case "workers[].status":
            for worker in cluster["workers"]:
                worker["status"] = value.get(worker["name"], worker.get("status", "ready"))
        case "workers":
            (example,) = [worker for worker in cluster["workers"] if worker["name"] == value["like"]]
            new = ({**example, "name": f"new-{number}", "status": "ready"} for number in range(value["count"]))
            cluster["workers"].extend(new)
        case "bookings":
            gone = {(each["workload"], each["replica"]) for each in value}
            cluster["bookings"] = [
                booking
                for booking in cluster["bookings"]
                if (booking["workload"], booking["replica"]) not in gone and (booking.get("gang"), None) not in gone
            ]
        case "priority":
            spec["priority"], spec["preemption"] = value, "lower-priority"
        case _:
            put(spec, field, value)


def planned(spec, cluster):
    return bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, cluster)["verdict"]


@settings(max_examples=40)
@given(SPECS, clusters())
def test_changes_hold_what_they_promise(spec, cluster):
    try:
        answer = bayplan.why({"metadata": {"name": "mine"}, "spec": spec}, cluster)
    except bayplan.BayplanError:
        return  # a number of cards by which the model cannot be divided
    event(answer["verdict"])
    assert answer["verdict"] == planned(spec, cluster)
    if answer["verdict"] == "fits":
        assert answer["changes"] == []
    told = [change["detail"] for change in answer["changes"]]
    assert len(set(told)) == len(told) <= 8
    for change in answer["changes"]:
        event(change["change"])
        check(change, spec, cluster, answer["verdict"])


def check(change, spec, cluster, now):
    *firsts, last = change.get("parts", [change])
    spec, cluster = copy.deepcopy((spec, cluster))
    for part in firsts:
        by_hand(part, part["to"], spec, cluster)
    fitting, milder = copy.deepcopy((spec, cluster)), copy.deepcopy((spec, cluster))
    by_hand(last, last["to"], *fitting)
    assert planned(*fitting) == change["verdict"], change
    short = change["not_enough"]
    if short["to"] != last["from"]:
        by_hand(last, short["to"], *milder)
    elif not firsts:
        assert short["verdict"] == now
    assert planned(*milder) == short["verdict"] != change["verdict"], change
