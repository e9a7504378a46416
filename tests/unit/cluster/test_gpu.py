"""Cards: their names, what is known of them, and what is refused."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import CardId, Gpu, GpuId
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.framework.errors import InputError

IDS = {
    "plain": ("a:cuda:0", GpuId("a", "cuda", 0)),
    "another runtime": ("node-1.example:rocm:15", GpuId("node-1.example", "rocm", 15)),
    "a name with colons": ("fd00::1:cuda:3", GpuId("fd00::1", "cuda", 3)),
    "leading zeros": ("a:cuda:03", GpuId("a", "cuda", 3)),
}


@pytest.mark.parametrize(("text", "gpu_id"), IDS.values(), ids=IDS)
def test_a_card_of_the_cluster_is_read(text, gpu_id):
    assert GpuId.parse(text, "gpuIds[0]") == gpu_id


def test_a_card_of_the_cluster_reads_as_it_was_written():
    gpu_id = GpuId.parse("a:b:cuda:3", "here")

    assert str(gpu_id) == "a:b:cuda:3"
    assert gpu_id.card == CardId("cuda", 3)
    assert str(gpu_id.card) == "cuda:3"


WRONG_IDS = {
    "two parts": "a:0",
    "one part": "a",
    "no worker": ":cuda:0",
    "no runtime": "a::0",
    "no index": "a:cuda:",
    "a word": "a:cuda:first",
    "negative": "a:cuda:-1",
    "a fraction": "a:cuda:1.0",
    "another script": "a:cuda:٣",
    "a superscript": "a:cuda:²",
    "a number": 3,
    "nothing": None,
    "a list": ["a", "cuda", 0],
    "far too large": "a:cuda:" + "9" * 40,
}


@pytest.mark.parametrize("text", WRONG_IDS.values(), ids=WRONG_IDS)
def test_what_names_no_card_is_refused_at_its_place(text):
    with pytest.raises(InputError) as caught:
        GpuId.parse(text, "gpuIds[4]")

    assert caught.value.place == "gpuIds[4]"
    assert caught.value.next


def test_what_nobody_told_is_not_guessed_from_the_name():
    gpu = Gpu(0, model="A100-SXM4-80GB")

    assert (gpu.memory_mib, gpu.pcie_gen, gpu.numa, gpu.observed_used_mib) == (None, None, None, None)
    assert gpu.healthy
    assert gpu.card == CardId("cuda", 0)


def test_the_catalogue_knows_a_card_by_its_model():
    assert Gpu(0, model="NVIDIA-H100-80GB-HBM3").catalogue_entry.compute_capability == 9.0
    assert Gpu(0, model="Mystery").catalogue_entry is None
    assert Gpu(0).catalogue_entry is None


GEOMETRIES = {
    "by its name": (Gpu(0, model="A100-SXM4-40GB"), "40GB"),
    "by its memory": (Gpu(0, model="A100", memory_mib=81559), "80GB"),
    "cannot be cut": (Gpu(0, model="L4", memory_mib=23034), None),
    "nobody knows": (Gpu(0), None),
}


@pytest.mark.parametrize(("gpu", "name"), GEOMETRIES.values(), ids=GEOMETRIES)
def test_how_a_card_may_be_cut(gpu, name):
    assert (gpu.geometry.name if gpu.geometry else None) == name


MIG = {
    "no MIG": (None, False),
    "switched on": (MigState(), True),
    "could be switched on": (MigState(enabled=False, reconfigurable=True), False),
}


@pytest.mark.parametrize(("mig", "enabled"), MIG.values(), ids=MIG)
def test_mig_enabled(mig, enabled):
    assert Gpu(0, mig=mig).mig_enabled is enabled


def cut(*slices, model="A100-SXM4-40GB"):
    return {"model": model, "mig": MigState(slices=tuple(MigInstance(*entry) for entry in slices))}


def test_slices_of_a_card_that_nobody_knows_are_taken_as_they_are():
    assert Gpu(0, **cut(("9g.99gb", 11), model="Mystery")).mig.slices[0].start == 11


REFUSED = {
    "index": ({"index": -1}, "index"),
    "memory": ({"index": 0, "memory_mib": -1}, "memory"),
    "numa": ({"index": 0, "numa": -1}, "numa"),
    "pcie generation": ({"index": 0, "pcie_gen": -1}, "pcieGen"),
    "observed": ({"index": 0, "observed_used_mib": -1}, "observedUsed"),
    "a profile of another card": ({"index": 0, **cut(("1g.18gb", 0))}, "mig.slices[0].profile"),
    "an illegal start": ({"index": 0, **cut(("3g.20gb", 4), ("2g.10gb", 1))}, "mig.slices[1].start"),
    "no start": ({"index": 0, **cut(("3g.20gb", None))}, "mig.slices[0].start"),
    "overlapping": ({"index": 0, **cut(("3g.20gb", 0), ("1g.5gb", 3))}, "mig.slices[1]"),
}


@pytest.mark.parametrize(("fields", "place"), REFUSED.values(), ids=REFUSED)
def test_a_card_that_cannot_be_is_refused(fields, place):
    with pytest.raises(InputError) as caught:
        Gpu(**fields)

    assert caught.value.place == place
    assert caught.value.next
