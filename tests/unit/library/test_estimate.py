import pytest

import bayplan
from bayplan.framework.errors import InputError
from unit.sizing.writers import write_config, write_gguf, write_safetensors

HEADS_28 = {"heads": 28, "kvHeads": 4, "layers": 28, "headDim": 128, "hiddenSize": 3584}


def shapes(document):
    return [(row["tp"], row["pp"]) for row in document["per_gpu"]]


def test_a_folder(tmp_path):
    write_config(tmp_path)
    write_safetensors(tmp_path / "model.safetensors", {"a": ("BF16", [4096, 128256])})
    document = bayplan.estimate(path=str(tmp_path), context=8192, concurrency=4)

    assert document["kind"] == "Estimate"
    assert (document["weights_mib"], document["kv_mib"], document["overhead_mib"]) == (1002, 4096, 922)
    parts = ("weights_mib", "kv_mib", "activations_mib", "overhead_mib")
    assert document["total_mib"] == sum(document[part] for part in parts)
    assert document["sources"].keys() >= {*parts, "total_mib", "context", "architecture"}
    assert document["warnings"] == []


def test_what_a_card_holds_is_listed_by_shape():
    document = bayplan.estimate(weights="14Gi", kvCache="4Gi", overhead="1Gi", architecture=HEADS_28)
    rows = {(row["tp"], row["pp"]): row for row in document["per_gpu"]}

    assert [tp for tp, pp in rows if pp == 1] == [1, 2, 4]
    assert {(4, 2), (2, 2), (4, 3)} <= rows.keys()
    assert rows[4, 1]["mib"] == 18 * 256 + 1024
    assert rows[4, 2]["gpus"] == 8
    assert document["total_mib"] == 19 * 1024


def test_the_cards_that_hold_it():
    document = bayplan.estimate(weights="20Gi", kvCache=0, overhead=0, tp=1, pp=1)
    (row,) = document["per_gpu"]

    assert {"L4", "A100 80GB", "H200"} <= set(row["fits"])
    assert not {"T4", "V100 16GB", "A100"} & set(row["fits"])
    assert row["fits"].index("RTX 4090") < row["fits"].index("A30") < row["fits"].index("H200")


def test_a_driver_reports_less_than_the_label():
    fits = bayplan.estimate(weights="79Gi", kvCache=0, overhead=0)["per_gpu"][0]["fits"]

    assert "A100 80GB" not in fits


def test_only_the_share_of_a_fraction_counts():
    backend = {"name": "vllm", "args": ["--gpu-memory-utilization=0.5"]}
    fits = bayplan.estimate(weights="20Gi", kvCache=0, overhead=0, backend=backend)["per_gpu"][0]["fits"]

    assert "L4" not in fits
    assert "L40S" in fits


FIXED = {
    "tp":                  ({"tp": 2, "pp": 1}, [(2, 1)]),
    "a flag":              ({"backend": {"name": "sglang", "args": ["--tp-size=2", "--pp-size=3"]}}, [(2, 3)]),
    "arguments go first":  ({"tp": 4, "pp": 1, "backend": {"name": "vllm", "args": ["-tp", "2"]}}, [(4, 1)]),
    "beyond the list":     ({"tp": 4, "pp": 28}, [(4, 28)]),
    "llama.cpp":           ({"backend": "llama.cpp"}, [(1, 1)]),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "expected"), FIXED.values(), ids=FIXED)
def test_a_fixed_shape(arguments, expected):
    assert shapes(bayplan.estimate(weights=1, kvCache=1, architecture=HEADS_28, **arguments)) == expected


NO_SHAPE = {
    "heads":   ({"tp": 8}, "tensor parallel 8 does not divide 28 attention heads"),
    "layers":  ({"pp": 29}, "a pipeline of 29 stages is longer than the model's 28 layers"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "words"), NO_SHAPE.values(), ids=NO_SHAPE)
def test_a_shape_that_cannot_be_is_told(arguments, words):
    document = bayplan.estimate(weights=1, kvCache=1, architecture=HEADS_28, **arguments)

    assert document["per_gpu"] == []
    assert words in document["warnings"][0]


def test_copies_are_counted():
    backend = {"name": "vllm", "args": ["--data-parallel-size=2"]}
    document = bayplan.estimate(weights=1, kvCache=1, backend=backend, tp=4, pp=1)

    assert [row["gpus"] for row in document["per_gpu"]] == [8]


def test_unknown_is_null_and_a_warning_says_what_to_give():
    document = bayplan.estimate(weights="56Gi", loras=["8Gi"])

    assert (document["weights_mib"], document["kv_mib"], document["total_mib"]) == (65536, None, None)
    assert shapes(document) == [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1)]
    assert {row["mib"] for row in document["per_gpu"]} == {None}
    assert "give model.kvCache" in document["warnings"][0]


def test_nothing_at_all_is_unknown():
    document = bayplan.estimate()

    assert document["weights_mib"] is None
    assert document["total_mib"] is None
    assert len(document["warnings"]) == 2


def test_llama_cpp_keeps_less_for_itself(tmp_path):
    write_gguf(tmp_path / "model.gguf", tensors={"t": ("Q8_0", [4096, 4096])})
    document = bayplan.estimate(path=str(tmp_path), context=8192, backend="llama-cpp")

    assert (document["kv_mib"], document["overhead_mib"], document["backend"]) == (1024, 350, "llama-cpp")


def test_a_field_that_nobody_knows_is_told():
    document = bayplan.estimate(weights=1, kvCache=1, architecture={"heds": 3})

    assert "architecture.heds" in document["warnings"][0]


REFUSED = {
    "a size":            ({"weights": "many"}, "weights"),
    "a negative size":   ({"weights": "-1Gi"}, "weights"),
    "a context":         ({"context": 0}, "context"),
    "a kind of cache":   ({"kvDtype": "fp9"}, "kvDtype"),
    "an architecture":   ({"architecture": 3}, "architecture"),
    "a number of heads": ({"architecture": {"heads": -1}}, "architecture.heads"),
    "a backend":         ({"backend": "vlm"}, "backend.name"),
    "backends":          ({"backend": 3}, "backend"),
    "flags":             ({"backend": {"name": "vllm", "args": "-tp 2"}}, "backend.args"),
    "a flag":            ({"backend": {"name": "vllm", "args": ["-tp=0"]}}, "backend.args[0]"),
    "tp":                ({"tp": 0}, "tp"),
    "pp":                ({"pp": 1.5}, "pp"),
    "adapters":          ({"loras": 3}, "loras"),
    "an adapter":        ({"loras": ["8Gx"]}, "loras[0]"),
    "a path":            ({"path": "/nowhere"}, "/nowhere"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "place"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused(arguments, place):
    with pytest.raises(InputError) as caught:
        bayplan.estimate(**arguments)

    assert place in caught.value.place
    assert caught.value.next
