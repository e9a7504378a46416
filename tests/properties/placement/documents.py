"""Clusters and workloads as documents: a few workers with cards of a few MiB, so that amounts often meet exactly."""

from random import Random

from hypothesis import settings, strategies as st

KINDS = (
    ("cuda", "A100-SXM4-80GB"),
    ("cuda", "L4"),
    ("cuda", "T4"),
    ("rocm", "MI300X"),
    ("mps", "M2"),
    ("musa", "S4000"),
)
FAMILIES = ("A100", "L4", "T4", "MI300X")
BACKENDS = ("vllm", "sglang", "llama-cpp", "custom", None)
MINE, OTHERS = "job", ("other", "third")
MOST_WORKERS = 6

HALF = settings(max_examples=max(10, settings().max_examples // 2))
FEWER = settings(max_examples=max(10, settings().max_examples // 8))
"""For tests that plan several times an example: a part of what the profile looks at."""

often_no = st.sampled_from((False, False, False, False, True))


def rarely(strategy, otherwise=None):
    return often_no.flatmap(lambda yes: strategy if yes else st.just(otherwise))


def said(**fields):
    """The fields that say something."""
    return {key: value for key, value in fields.items() if value is not None}


KNOWN_MIB = (8, 16, 20, 24, 24, 40, 48)
KINDS_OF_WORKER = 150
BOOKINGS = 1000


def make_card(chance, kind=None):
    runtime, model = kind or chance.choice((KINDS[0], KINDS[0], *KINDS))
    return said(
        runtime=runtime,
        model=model,
        memory=chance.choice(KNOWN_MIB),
        health="unhealthy" if chance.random() < 0.1 else None,
        observedUsed=chance.randint(0, 24) if chance.random() < 0.2 else None,
        mig={"enabled": True} if chance.random() < 0.05 else None,
    )


def make_plain(chance):
    """A ready worker with equal cards that nobody else uses."""
    runtime, model = chance.choice(KINDS[:4])
    card = {"runtime": runtime, "model": model, "memory": chance.choice(KNOWN_MIB)}
    return said(
        cpu=chance.choice((None, 8)),
        ram=chance.choice((None, 64, 256)),
        gpus=[{**card, "index": index} for index in range(chance.choice((1, 2, 2, 4, 4)))],
        usdPerHour=1,
        carbonGramsPerKwh=50,
    )


def make_mixed(chance):
    """A worker with anything."""
    kinds = chance.sample(KINDS, 2)
    cards = [make_card(chance, chance.choice(kinds)) for _ in range(chance.randint(0, 4))]
    reserved = {"ram": chance.randint(0, 8), "gpuMemory": chance.randint(0, 4)}
    return said(
        cpu=chance.choice((None, 0, 2, 8)),
        ram=chance.choice((None, 0, 16, 64, 256)),
        gpus=[{**card, "index": index} for index, card in enumerate(cards)],
        reserved=reserved if chance.random() < 0.2 else None,
        status=chance.choice((None,) * 8 + ("ready", "not-ready", "cordoned", "draining")),
        labels={"zone": chance.choice("ab")} if chance.random() < 0.3 else None,
        taints=[{"key": "gpu", "effect": "NoSchedule"}] if chance.random() < 0.15 else None,
        region=chance.choice((None, "eu", "us")),
        rack=chance.choice((None, None, "r1", "r2")),
        usdPerHour=chance.choice((1, 2, 5)),
        carbonGramsPerKwh=chance.choice((50, 400)),
        spot=chance.choice((None, None, True)),
    )


_chance = Random(4)  # noqa: S311 (test data, no secret)
PLAIN = [make_plain(_chance) for _ in range(KINDS_OF_WORKER)]
MIXED = [make_mixed(_chance) for _ in range(KINDS_OF_WORKER)]
CARDS = [make_card(_chance) for _ in range(KINDS_OF_WORKER)]
"""Made once: a few draws then make a cluster, where drawing every field of every card would take most of the time."""

further_workers = st.sampled_from((*PLAIN, *MIXED))
further_cards = st.sampled_from([{key: card[key] for key in card if key != "observedUsed"} for card in CARDS])


def make_bookings(chance, fleet, names):
    """Bookings that hold no more than there is; a card is held whole only by one."""
    found = []
    numbers = dict.fromkeys(names, 0)
    for worker in fleet:
        ram, cpu = worker.get("ram", 0), worker.get("cpu", 0)
        for gpu in worker["gpus"]:
            percents = chance.choice(((), (), (), (None,), (50,), (20, 30)))
            left = gpu.get("memory", 0)
            whole = percents == (None,) and chance.random() < 0.5
            for percent in () if gpu.get("mig") else percents:
                name, memory = chance.choice(names), None if whole else chance.randint(0, left)
                left -= memory or 0
                card = said(runtime=gpu["runtime"], index=gpu["index"], memory=memory, computePercent=percent)
                held = {"ram": chance.randint(0, min(ram, 16)), "cpu": chance.randint(0, min(cpu, 1))}
                ram, cpu = ram - held["ram"], cpu - held["cpu"]
                where = {"workload": name, "replica": numbers[name], "worker": worker["name"]}
                found.append({**where, **held, "gpus": [card]})
                numbers[name] += 1
    return found


@st.composite
def clusters(draw, *, most=MOST_WORKERS, names=(MINE, *OTHERS), mixed=True):
    """Some have workers of one kind, some are a mixture; about half of them have bookings."""
    number = draw(st.integers(1, most))
    alike = draw(st.sampled_from(PLAIN))
    others = draw(st.lists(st.sampled_from(MIXED), max_size=number if mixed else 1))
    fleet = [*others, *[alike] * (number - len(others))]
    fleet = [{"name": f"w{place}", **worker} for place, worker in enumerate(fleet)]
    seed = draw(st.just(0) | st.integers(1, BOOKINGS))
    chance = Random(seed)  # noqa: S311 (test data, no secret)
    return {"workers": fleet, "bookings": make_bookings(chance, fleet, names) if seed else []}


architectures = st.fixed_dictionaries(
    {
        "heads": st.sampled_from((4, 6, 8, 12)),
        "kvHeads": st.sampled_from((1, 2, 4)),
        "layers": st.sampled_from((1, 3, 6, 8)),
        "vocabSize": st.sampled_from((100, 256, 1000)),
    },
    optional={"visionHeads": st.sampled_from((4, 6))},
)


def models(most=120):
    return st.fixed_dictionaries(
        {
            "weights": st.integers(1, most),
            "kvCache": st.integers(0, 24),
            "overhead": st.integers(0, 4),
            "architecture": architectures,
        }
    )


@st.composite
def flags(draw, backend):
    found = []
    if backend in ("vllm", "sglang"):
        fraction = {"vllm": "--gpu-memory-utilization", "sglang": "--mem-fraction-static"}[backend]
        number = draw(rarely(st.sampled_from(("0.25", "0.5", "0.9", "1"))))
        found += [f"{fraction}={number}"] if number else []
        for flag in ("--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"):
            number = draw(st.sampled_from((None,) * 7 + (1, 2, 4)))
            found += [flag, str(number)] if number else []
    return found


@st.composite
def demands(draw):
    """What a workload may demand of a worker beside its cards; mostly little."""
    return said(
        cpu=draw(rarely(st.sampled_from((0, 1, 3)))),
        ram=draw(rarely(st.sampled_from((0, 8, 40)))),
        selector=draw(rarely(selectors)),
        tolerations=draw(rarely(st.just([{"key": "gpu", "operator": "Exists"}]))),
        regions=draw(rarely(st.sampled_from((["eu"], ["eu", "us"])))),
        maxCarbonGramsPerKwh=draw(rarely(st.sampled_from((50, 100)))),
        antiAffinity=draw(rarely(st.sampled_from((["other"], ["third", "nobody"])))),
        cost=draw(rarely(st.sampled_from(({"spot": False}, {"maxUsdPerHour": 2})))),
        strategy=draw(st.sampled_from((None, "pack", "spread"))),
    )


selectors = st.sampled_from(
    (
        {"matchLabels": {"zone": "a"}},
        {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]},
        {"matchExpressions": [{"key": "zone", "operator": "Exists"}]},
    )
)


@st.composite
def model_specs(draw, backends=BACKENDS, *, counted=None, most=120):
    """A workload with a model, divided as it fits or, `counted`, over a number of cards."""
    backend = draw(st.sampled_from(backends))
    gpus = said(models=draw(rarely(st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=2, unique=True))))
    if draw(often_no) if counted is None else counted:
        gpus["count"] = draw(st.integers(1, 4))
    return said(
        model=draw(models(most)),
        backend=None if backend is None else {"name": backend, "args": draw(flags(backend))},
        gpus=gpus or None,
        distributed=draw(st.sampled_from((None, True))),
        cpuOffload=draw(st.sampled_from((None, True))),
    )


@st.composite
def card_specs(draw):
    """A workload that says itself which cards it wants."""
    return {
        "gpus": said(
            count=draw(st.integers(1, 3)),
            memory=draw(st.sampled_from((None, 0, 1, 8, 12, 24))),
            computePercent=draw(rarely(st.sampled_from((10, 50, 100)))),
            models=draw(rarely(st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=2, unique=True))),
            cardMemory=draw(rarely(st.sampled_from((16, 24)))),
            locality=draw(rarely(st.just("any"))),
        )
    }


@st.composite
def specs(draw, *, replicas=None):
    """Any workload of one shape; one replica of it where nothing else is said."""
    kind = draw(st.sampled_from(("model", "model", "cards", "host")))
    base = draw({"model": model_specs(), "cards": card_specs(), "host": st.just({})}[kind])
    return {**base, **draw(st.just({}) | demands()), "replicas": 1 if replicas is None else draw(replicas)}


@st.composite
def large_models(draw):
    """A cluster and a model that is larger than most of its workers, but often not than all of them together."""
    cluster = draw(clusters(names=OTHERS, mixed=False))
    spec = draw(model_specs(("vllm", "sglang", "llama-cpp", "llama-cpp", "custom"), counted=False))
    spec.pop("gpus", None)
    sizes = [sum(gpu["memory"] for gpu in worker["gpus"]) for worker in cluster["workers"]]
    spec["model"]["weights"] = draw(st.integers(1 + max(sizes) // 2, 1 + sum(sizes)))
    spec["model"]["architecture"] |= {"heads": 8, "layers": draw(st.sampled_from((6, 8, 16)))}
    return cluster, spec


def workload(spec, name=MINE):
    return {"metadata": {"name": name}, "spec": spec}
