"""No shape fits: every code, with its numbers, its sentence, and whether eviction could cure it."""

from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.filters.gpu_fit import GpuFit
from fleets import CUT, booking, share, whole
from unit.placement.builders import ask, gpu, judge, keeps_its_promises, worker

H100 = "H100-SXM5-80GB"


def rule(**others):
    return CardRule(**{"needs_memory": True, **others})


ENGINE_MIB = 10


def shares(need_mib, cards=1, **others):
    shape = CardShape(cards, need_mib, overhead_mib=ENGINE_MIB, headroom_mib=others.pop("headroom_mib", 0))
    return ask(**{"taking": Taking.SHARE, "shapes": (shape,), "rule": rule(), **others})


def wholes(cards, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(cards),), rule=CardRule(**others))


def cards(*sizes, **others):
    return [gpu(number, memory_mib=mib, **others) for number, mib in enumerate(sizes)]


def said(asked, gpus, *booked, **others):
    """Code, needed, free, unit and sentence."""
    bookings = (booking("other", *booked),) if booked else ()
    verdict = judge(GpuFit(), asked, worker(cards=gpus, **others), bookings=bookings)
    message = verdict.message if verdict.code else ""
    return verdict.code, verdict.needed, verdict.free, verdict.unit, message


MIXED = [*cards(40, 40), gpu(2, model=H100, memory_mib=80), gpu(3, model=H100, memory_mib=80)]

COUNTS = {
    "too few cards": (
        wholes(3), cards(40, 40), (), 3, 2, False, "needs 3 usable cards of one model, has 2 of 2",
    ),
    "cards that are held": (
        wholes(2), cards(40, 40), (whole(0),), 2, 1, True, "needs 2 usable cards of one model, has 1 of 2",
    ),
    "none at all": (wholes(1), [], (), 1, 0, False, "needs 1 usable card, has 0 of 0"),
    "unhealthy cards": (
        shares(1), cards(40, 40, healthy=False), (), 1, 0, False, "needs 1 usable card, has 0 of 2",
    ),
    "cards that are cut": (shares(1), cards(40, mig=CUT), (), 1, 0, False, "needs 1 usable card, has 0 of 1"),
    "the engine runs on none": (
        shares(1, rule=rule(backend="vllm")), cards(40, runtime="mps"), (), 1, 0, False,
        "needs 1 usable card, has 0 of 1",
    ),
    "none of these is chosen": (
        shares(1, gpu_ids=["b:cuda:0"]), cards(40), (), 1, 0, False, "needs 1 usable card, has 0 of 1",
    ),
    "of those that were chosen": (
        shares(1, 2, gpu_ids=["a:cuda:0"]), cards(40, 40), (), 2, 1, False,
        "needs 2 usable cards of one model, has 1 of 2",
    ),
    "too small by their size": (
        wholes(2, card_memory_mib=60), MIXED[1:3], (), 2, 1, False,
        "needs 2 usable cards of one model of at least 60 MiB, has 1 of 2",
    ),
    "enough, but of two models": (
        wholes(3), MIXED, (), 3, 2, False, "needs 3 usable cards of one model, has 2 of 4",
    ),
    "of the model asked for": (
        wholes(3, models=("H100",)), MIXED, (), 3, 2, False, "needs 3 usable cards of one model, has 2 of 4",
    ),
    "of the model asked for, but unhealthy": (
        wholes(1, models=("A100",)), cards(40, healthy=False), (), 1, 0, False, "needs 1 usable card, has 0 of 1",
    ),
    "of one runtime for an engine that mixes": (
        shares(1, 3, rule=rule(mixes_models=True)), [*cards(40, 40), gpu(0, runtime="rocm")], (), 3, 2, False,
        "needs 3 usable cards of one runtime, has 2 of 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "gpus", "booked", "needed", "free", "curable", "sentence"), COUNTS.values(), ids=COUNTS
)
def test_count(asked, gpus, booked, needed, free, curable, sentence):
    bookings = (booking("other", *booked),) if booked else ()
    verdict = judge(GpuFit(), asked, worker(cards=gpus), bookings=bookings)

    assert said(asked, gpus, *booked) == ("gpu-count-short", needed, free, "cards", sentence)
    assert verdict.curable is curable


HALF, STATIC = Fit(Fraction(1, 2), FractionOf.CARD), Fit(Fraction(1, 2), FractionOf.STATIC)
LAYERS = {"taking": Taking.LAYERS, "rule": rule(mixes_models=True)}

MEMORY = {
    "too small": (
        shares(41), cards(30, 40), (), 41, 40, "MiB", False, "needs 41 MiB on one card, 40 MiB are free",
    ),
    "too full beside its headroom": (
        shares(30, headroom_mib=8), cards(40), (share(0, 5),), 38, 35, "MiB", True,
        "needs 38 MiB on one card (8 MiB of it headroom), 35 MiB are free",
    ),
    "too full": (
        shares(35), cards(40, 30), (share(0, 20),), 35, 30, "MiB", True, "needs 35 MiB on one card, 30 MiB are free",
    ),
    "held whole": (shares(35), cards(40), (whole(0),), 35, 0, "MiB", True, "needs 35 MiB on one card, 0 MiB are free"),
    "the second of two": (
        shares(35, 2), cards(90, 30, 20), (), 35, 30, "MiB", False,
        "needs 35 MiB on each of 2 cards, 30 MiB are free",
    ),
    "the shape that comes nearest": (
        ask(taking=Taking.SHARE, shapes=(CardShape(4, 25), CardShape(2, 50)), rule=rule()),
        cards(40, 40, 20, 20), (), 25, 20, "MiB", False, "needs 25 MiB on each of 4 cards, 20 MiB are free",
    ),
    "the nearest shape that has cards enough": (
        ask(taking=Taking.SHARE, shapes=(CardShape(4, 25), CardShape(2, 50)), rule=rule()),
        cards(40, 40, 20), (), 50, 40, "MiB", False, "needs 50 MiB on each of 2 cards, 40 MiB are free",
    ),
    "the kind that comes nearest": (
        shares(90, 2), MIXED, (), 90, 80, "MiB", False, "needs 90 MiB on each of 2 cards, 80 MiB are free",
    ),
    "what a flag takes is not free": (
        shares(20, fit=HALF), cards(100), (share(0, 60),), 50, 40, "MiB", True,
        "needs 50 MiB on one card, 40 MiB are free",
    ),
    "what a flag takes with the engine": (
        shares(20, fit=STATIC), cards(100), (share(0, 45),), 60, 55, "MiB", True,
        "needs 60 MiB on one card, 55 MiB are free",
    ),
    "more than a flag leaves": (
        shares(51, fit=HALF), cards(100), (), 51, 50, "MiB", False,
        "needs 51 MiB on one card; the engine's memory fraction allows 50 MiB",
    ),
    "layers": (
        ask(layers=Layers(10, Fraction(25, 2), 5), **LAYERS), cards(80, 42), (), 125, 100, "MiB", False,
        "needs room for 10 layers of 13 MiB on its cards, which hold 8",
    ),
    "layers where others are": (
        ask(layers=Layers(10, Fraction(10), 0), **LAYERS), cards(60, 40), (share(0, 30),), 100, 70, "MiB", True,
        "needs room for 10 layers of 10 MiB on its cards, which hold 7",
    ),
    "layers on so many cards": (
        ask(layers=Layers(10, Fraction(10), 0, cards=2), **LAYERS), cards(40, 40, 40), (), 100, 80, "MiB", False,
        "needs room for 10 layers of 10 MiB on its cards, which hold 8",
    ),
    "not even one layer": (
        ask(layers=Layers(10, Fraction(10), 0, partial=True), **LAYERS), cards(9, 9), (), 10, 0, "MiB", False,
        "needs room for 1 layer of 10 MiB on its cards, which hold 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "gpus", "booked", "needed", "free", "unit", "curable", "sentence"), MEMORY.values(), ids=MEMORY
)
def test_memory(asked, gpus, booked, needed, free, unit, curable, sentence):
    bookings = (booking("other", *booked),) if booked else ()
    verdict = judge(GpuFit(), asked, worker(cards=gpus), bookings=bookings)

    assert said(asked, gpus, *booked) == ("gpu-memory-short", needed, free, unit, sentence)
    assert verdict.curable is curable


def test_what_is_kept_back_is_not_free():
    assert said(shares(35), cards(40), reserved_gpu_memory_mib=10)[2] == 30
    assert said(shares(35), cards(40, observed_used_mib=12))[2] == 28


USED = (share(0, 1, 600), share(1, 1, 800))

COMPUTE = {
    "of one card": (shares(1, compute_milli=500), (50, 40), "needs 50 % of the compute on one card, 40 % are free"),
    "of two cards": (
        shares(1, 2, compute_milli=500), (50, 20), "needs 50 % of the compute on each of 2 cards, 20 % are free",
    ),
    "and no memory": (
        shares(0, compute_milli=405, rule=CardRule()), (40.5, 40),
        "needs 40.5 % of the compute on one card, 40 % are free",
    ),
    "of cards with memory enough": (
        shares(30, compute_milli=500), (50, 20), "needs 50 % of the compute on one card, 20 % are free",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "numbers", "sentence"), COMPUTE.values(), ids=COMPUTE)
def test_compute(asked, numbers, sentence):
    assert said(asked, cards(20, 40), *USED) == ("gpu-compute-short", *numbers, "percent", sentence)


def test_memory_is_short_before_compute_is():
    assert said(shares(60, compute_milli=500), cards(20, 40), *USED)[0] == "gpu-memory-short"


MODELS = {
    "another": (("H100",), cards(40), "has no card of model H100"),
    "others": (("H100", "B200"), cards(40), "has no card of model H100 or B200"),
    "nobody told": (("H100",), cards(40, model=None), "has no card of model H100"),
}


@pytest.mark.parametrize(("models", "gpus", "sentence"), MODELS.values(), ids=MODELS)
def test_model(models, gpus, sentence):
    code, _, free, _, message = said(wholes(1, models=models), gpus)

    assert (code, free, message) == ("gpu-model-mismatch", None, sentence)


UNKNOWN = {
    "the only card": (shares(20), cards(None), 20, "1 card"),
    "one of two that are needed": (shares(20, 2), cards(40, None), 20, "1 card"),
    "the size that is asked for": (wholes(1, card_memory_mib=30), cards(None, None), 30, "2 cards"),
}


@pytest.mark.parametrize(("asked", "gpus", "needed", "how_many"), UNKNOWN.values(), ids=UNKNOWN)
def test_cards_whose_size_nobody_told(asked, gpus, needed, how_many):
    code, need, free, unit, message = said(asked, gpus)

    assert (code, need, free, unit) == ("unknown-capacity", needed, None, "MiB")
    assert f"the memory of {how_many} is not known" in message


KNOWN = {
    "a known one is too small": (shares(50), cards(40, None), "gpu-memory-short"),
    "too few with them": (shares(20, 3), cards(40, None), "gpu-count-short"),
    "whole cards need no size": (wholes(1), cards(None), None),
    "compute needs no size": (shares(0, compute_milli=5, rule=CardRule()), cards(None), None),
}


@pytest.mark.parametrize(("asked", "gpus", "code"), KNOWN.values(), ids=KNOWN)
def test_what_is_known_is_said_first(asked, gpus, code):
    assert said(asked, gpus)[0] == code


def test_a_need_that_nobody_told():
    asked = ask(taking=Taking.SHARE, unknown="the need is unknown: give model.weights")

    for gpus in (cards(40), []):
        assert said(asked, gpus) == ("unknown-need", None, None, "", "the need is unknown: give model.weights")


SIZES = {
    "one that is too small": (wholes(1, card_memory_mib=60), cards(40, 40), 40, "a card"),
    "too small by one": (wholes(1, card_memory_mib=41), cards(40), 40, "a card"),
    "the second of two": (wholes(2, card_memory_mib=60), cards(80, 40), 40, "2 cards"),
    "the larger of two models": (wholes(1, card_memory_mib=90), MIXED, 80, "a card"),
    "of the model asked for": (wholes(1, card_memory_mib=60, models=("A100",)), MIXED, 40, "a card"),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "gpus", "free", "needed"), SIZES.values(), ids=SIZES)
def test_cards_that_are_too_small(asked, gpus, free, needed):
    size = asked.rule.card_memory_mib
    message = f"needs {needed} of at least {size} MiB; the largest free ones have {free} MiB"

    assert said(asked, gpus) == ("gpu-memory-short", size, free, "MiB", message)


def test_no_eviction_makes_cards_larger():
    assert not judge(GpuFit(), wholes(1, card_memory_mib=60), worker(cards=cards(40))).curable


def test_too_small_and_held_is_too_few():
    assert said(wholes(1, card_memory_mib=60), cards(40), whole(0))[0] == "gpu-count-short"


def test_what_fits_is_kept():
    for asked in (shares(40), wholes(1), ask()):
        assert said(asked, cards(40))[0] is None


CARD = st.tuples(
    st.sampled_from([None, 30, 40, 80]), st.sampled_from(["A100-SXM4-40GB", H100]), st.booleans(),
    st.sampled_from([None, 0, 15, 40, "whole"]), st.sampled_from([None, 300, 900]),
)  # fmt: skip
ASKED = st.one_of(
    st.builds(
        lambda need_mib, number, fit, compute: shares(need_mib, number, fit=fit, compute_milli=compute),
        st.integers(1, 90), st.integers(1, 3), st.sampled_from([None, HALF, STATIC]), st.sampled_from([0, 400]),
    ),
    st.builds(lambda number, size: wholes(number, card_memory_mib=size), st.integers(1, 3), st.sampled_from([0, 35])),
    st.builds(
        lambda count, partial: ask(layers=Layers(count, Fraction(7), 3, partial=partial), **LAYERS),
        st.integers(1, 40), st.booleans(),
    ),
)  # fmt: skip


@example(
    shares(26, fit=STATIC),
    [(30, H100, True, None, None), (40, H100, True, 15, None)],
)
@example(shares(1, fit=HALF), [(None, H100, True, None, None), (30, H100, True, 40, None)])
@given(ASKED, st.lists(CARD, max_size=4))
def test_whoever_is_refused_lacks_what_is_said(asked, drawn):
    gpus = [
        gpu(number, memory_mib=mib, model=model, healthy=healthy)
        for number, (mib, model, healthy, *_) in enumerate(drawn)
    ]
    held = [
        whole(number) if mib == "whole" else share(number, mib, milli)
        for number, (*_, mib, milli) in enumerate(drawn)
        if mib is not None
    ]
    code, needed, free, _, _ = said(asked, gpus, *held)

    assert code in {None, "gpu-count-short", "gpu-memory-short", "gpu-compute-short", "unknown-capacity"}
    assert free is None or needed > free


def test_contract():
    workers = [worker(cards=gpus) for gpus in (MIXED, cards(40), cards(None), cards(40, healthy=False), [])]
    columns = {
        "fit_order": [0, -1, -1, -1, -1],
        "card_rank": [[0, 0, 0, 0], [0, -1, -1, -1], [0, -1, -1, -1], [-1] * 4, [-1] * 4],
        "card_leader": [[0, 0, 2, 2], *[[0] * 4] * 4],
        "card_kinds": [2, 1, 1, 0, 0],
    }
    asks = [wholes(3), shares(90), shares(41), shares(20, 2), shares(45, fit=HALF), wholes(2, card_memory_mib=50)]
    keeps_its_promises(GpuFit(), workers, asks, made=columns)
    assert GpuFit.required
