from dataclasses import replace

import pytest

from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
from bayplan.framework.errors import InputError
from bayplan.sizing.engine import Engine
from bayplan.sizing.facts import Blocks, Files, Held, KvLayers, ModelFiles, StateLayers, Traits, Weights
from bayplan.sizing.need import MIB
from bayplan.sizing.size import size

VLLM = Engine("vllm")
TRAITS = Traits(
    kind="llama", heads=32, kv_heads=8, layers=32, hidden_size=4096, head_dim=128, max_context=8192,
    attention=(KvLayers(32, 2048),),
)  # fmt: skip
FILES = ModelFiles(Files(Weights.of(100 * MIB), "safetensors headers of 1 file", TRAITS, "config.json"))


def test_numbers_go_before_files():
    spec = ModelSpec(weights_mib=7, kv_cache_mib=5, overhead_mib=3, architecture=Architecture(heads=16, layers=4))
    need = size(spec, FILES, VLLM)

    assert (need.weights_bytes, need.kv_bytes, need.overhead_on(1, 1)) == (7 * MIB, 5 * MIB, 3)
    assert (need.heads, need.layers, need.kv_heads) == (16, 4, 8)
    assert dict(need.sources)["weights_mib"] == "given"
    assert need.unknown is None


def test_files_count_where_no_number_is_given():
    need = size(ModelSpec(concurrency=2), FILES, VLLM)

    assert need.weights_bytes == 100 * MIB
    assert need.kv_bytes == 2 * 8192 * 32 * 2048 * 2
    assert dict(need.sources)["weights_mib"] == "safetensors headers of 1 file"
    assert dict(need.sources)["kv_mib"] == "8,192 tokens (the model's longest) x 2, 2 bytes a value"
    assert need.warnings == ()


CONTEXTS = {
    "given":            (ModelSpec(context=100), Engine("vllm", context=50), 100),
    "the engine's":     (ModelSpec(), Engine("vllm", context=50), 50),
    "the model's own":  (ModelSpec(), VLLM, 8192),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "engine", "context"), CONTEXTS.values(), ids=CONTEXTS)
def test_whose_context_counts(spec, engine, context):
    assert size(spec, FILES, engine).context == context


def test_a_context_beyond_the_model_is_told():
    need = size(ModelSpec(context=10_000), FILES, VLLM)

    assert "10,000 tokens are more than the model's 8,192" in need.warnings[0]


DTYPES = {
    "given":        (ModelSpec(kv_dtype="fp8"), Engine("vllm", kv_dtype="fp32"), 1),
    "the engine's": (ModelSpec(), Engine("vllm", kv_dtype="fp8"), 1),
    "nobody's":     (ModelSpec(), VLLM, 2),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "engine", "size_bytes"), DTYPES.values(), ids=DTYPES)
def test_whose_kind_of_cache_counts(spec, engine, size_bytes):
    assert size(spec, FILES, engine).kv_bytes == 8192 * 32 * 2048 * size_bytes


def test_the_cache_follows_from_numbers_alone():
    architecture = Architecture(heads=32, kv_heads=8, layers=32, hidden_size=4096)
    need = size(ModelSpec(weights_mib=1, context=8192, concurrency=4, architecture=architecture), None, VLLM)

    assert need.kv_bytes == 4096 * MIB


def test_heads_alone_do_not_take_the_windows_away():
    windowed = Traits(kind="mistral", layers=32, attention=(KvLayers(32, 2048, 4096),))
    spec = ModelSpec(context=32768, architecture=Architecture(heads=16))

    assert (
        size(spec, ModelFiles(Files(Weights.of(1), "", windowed)), VLLM).kv_bytes == (4095 + 2 * 8192) * 32 * 2048 * 2
    )


def test_latent_attention_stays_latent():
    latent = Traits(kind="deepseek_v3", kv_heads=1, layers=2, is_mla=True, attention=(KvLayers(2, 576),))
    need = size(
        ModelSpec(context=10, architecture=Architecture(kv_heads=128)),
        ModelFiles(Files(Weights.of(1), "", latent)),
        VLLM,
    )

    assert (need.kv_heads, need.kv_bytes) == (1, 10 * 2 * 576 * 2)


def test_adapters_and_drafts_are_added():
    loras = (ModelPart(size_mib=8), ModelPart(path="adapter"))
    spec = ModelSpec(weights_mib=56, kv_cache_mib=0, loras=loras, draft=ModelPart(size_mib=2))
    need = size(spec, ModelFiles(parts={"adapter": Files(Weights.of(16 * MIB))}), VLLM)

    assert need.weights_bytes == (56 + 8 + 16 + 2) * MIB
    assert dict(need.sources)["weights_mib"] == "given, plus loras[0] 8 MiB, plus loras[1] 16 MiB, plus draft 2 MiB"


def test_the_cache_of_a_draft_is_kept_on_each_card():
    draft = Files(Weights.of(MIB), "", Traits(attention=(KvLayers(1, 1024),)))
    spec = ModelSpec(weights_mib=1, kv_cache_mib=0, context=1024, draft=ModelPart(path="draft"))
    bare = size(ModelSpec(weights_mib=1, kv_cache_mib=0, context=1024), None, VLLM)
    need = size(spec, ModelFiles(parts={"draft": draft}), VLLM)

    assert need.overhead_on(1, 1) == bare.overhead_on(1, 1) + 2
    assert "KV cache of the draft, 2 MiB" in dict(need.sources)["overhead_mib"]


UNKNOWN = {
    "no weights":           (ModelSpec(kv_cache_mib=1), None, "model.weights"),
    "no cache":             (ModelSpec(weights_mib=1), None, "model.kvCache"),
    "no context":           (ModelSpec(weights_mib=1), ModelFiles(Files(traits=Traits(attention=(KvLayers(1, 1),)))),
                             "model.context"),
    "an adapter":           (ModelSpec(weights_mib=1, kv_cache_mib=0, loras=(ModelPart(path="x"),)), None,
                             "the size of model.loras[0]"),
    "an adapter's weights": (ModelSpec(weights_mib=1, kv_cache_mib=0, draft=ModelPart(path="x")),
                             ModelFiles(parts={"x": Files()}), "the size of model.draft"),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "files", "words"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_unknown_is_asked_for(spec, files, words):
    need = size(spec, files, VLLM)

    assert words in (need.unknown or "")
    assert need.warnings


def test_an_unknown_architecture_is_named():
    need = size(ModelSpec(context=1), ModelFiles(Files(Weights.of(5), "tensors", Traits(kind="novelnet"))), VLLM)

    assert (need.weights_bytes, need.kv_bytes) == (5, None)
    assert "'novelnet'" in need.warnings[0]


def test_an_encoder_keeps_no_cache():
    need = size(ModelSpec(), ModelFiles(Files(Weights.of(5), "tensors", Traits(kind="bert", attention=()))), VLLM)

    assert (need.kv_bytes, need.unknown) == (0, None)


def test_copies_of_a_mixture_are_counted_whole_and_that_is_said():
    moe = Traits(kind="mixtral", is_moe=True, attention=())
    need = size(ModelSpec(), ModelFiles(Files(Weights.of(5), "tensors", moe)), Engine("vllm", dp=2))

    assert need.warnings == ("each of the 2 data-parallel copies is counted whole, experts included",)


def test_a_cache_that_no_ledger_could_hold_is_refused():
    spec = ModelSpec(context=2**31 - 1, concurrency=2**31 - 1, architecture=Architecture(layers=2**31 - 1))

    with pytest.raises(InputError, match="2,147,483,647 tokens x 2,147,483,647 is too large") as caught:
        size(spec, FILES, VLLM)

    assert caught.value.place == "model.context"


STATEFUL = Traits(kind="qwen3_next", attention=(KvLayers(1, 1024),), states=(StateLayers(2, 2**20, 2, 2**19),))
STATES = {
    "one sequence":   (ModelSpec(context=1024), VLLM, 2 + 6, 1, True),
    "eight":          (ModelSpec(context=1024, concurrency=8), VLLM, 8 * (2 + 6), 8, False),
    "a flag":         (ModelSpec(context=1024), Engine("vllm", concurrency=8), 2 + 6, 8, False),
    "a given cache":  (ModelSpec(kv_cache_mib=3), VLLM, 3, 1, False),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "engine", "kv_mib", "sequences", "told"), STATES.values(), ids=STATES)
def test_a_state_is_kept_for_each_sequence(spec, engine, kv_mib, sequences, told):
    need = size(spec, ModelFiles(Files(Weights.of(5), "tensors", STATEFUL)), engine)

    assert (need.kv_bytes, need.sequences, need.stateful) == (kv_mib * MIB, sequences, True)
    assert any("concurrency" in warning for warning in need.warnings) is told


def test_a_state_is_told_apart_from_the_cache():
    need = size(ModelSpec(context=1024, concurrency=2), ModelFiles(Files(Weights.of(5), "", STATEFUL)), VLLM)

    assert need.state_bytes == 2 * 6 * MIB


WINDOWED = Traits(kind="mistral", attention=(KvLayers(32, 2048, 4096),))
STEPS = {
    "by the formula":           (ModelSpec(), TRAITS, VLLM, 8192, False),
    "a given overhead":         (ModelSpec(overhead_mib=1), TRAITS, VLLM, None, False),
    "a window counts its step": (ModelSpec(overhead_mib=1), WINDOWED, VLLM, 8192, True),
    "SGLang's does not":        (ModelSpec(overhead_mib=1), WINDOWED, Engine("sglang"), None, True),
    "a given cache does not":   (ModelSpec(overhead_mib=1, kv_cache_mib=1), WINDOWED, VLLM, None, True),
    "no windows":               (ModelSpec(overhead_mib=1), WINDOWED, Engine("vllm", keeps_windows=False), None, False),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "traits", "engine", "tokens", "windowed"), STEPS.values(), ids=STEPS)
def test_the_step_that_was_sized_with(spec, traits, engine, tokens, windowed):
    need = size(replace(spec, context=1024), ModelFiles(Files(Weights.of(5), "", traits)), engine)

    assert (need.step_tokens, need.windowed) == (tokens, windowed)


TOWER = Weights(Held(100, 10), Held(100, 10), Held(200, 20))
TOWERS = {
    "cut with the rest":      (Traits(vision_heads=25), VLLM, 0, 25),
    "never cut":              (Traits(vision_heads=25, never_cut_tower=True), VLLM, 10, None),
    "whole as the flag says": (Traits(vision_heads=25), Engine("vllm", whole_tower=True), 10, None),
}  # fmt: skip


@pytest.mark.parametrize(("traits", "engine", "whole", "heads"), TOWERS.values(), ids=TOWERS)
def test_a_tower_that_is_kept_whole(traits, engine, whole, heads):
    need = size(ModelSpec(), ModelFiles(Files(TOWER, "", traits)), engine)

    assert (need.whole_bytes, need.vision_heads) == (whole, heads)


def test_expert_parallel_does_not_cut_experts():
    files = ModelFiles(Files(Weights.of(5), "", Traits(blocks=Blocks(128, (6144,), (768,)))))

    assert size(ModelSpec(), files, VLLM).block_sizes == (6144, 768)
    assert size(ModelSpec(), files, Engine("vllm", whole_experts=True)).block_sizes == (6144,)


SLOTS = {
    "one slot":           (ModelSpec(), Engine("llama-cpp", context=4096), 4096, 1),
    "divided by slots":   (ModelSpec(), Engine("llama-cpp", context=4096, concurrency=4), 1024, 4),
    "slots of the model": (ModelSpec(concurrency=2), Engine("llama-cpp", context=4096), 2048, 2),
    "vLLM's is of each":  (ModelSpec(), Engine("vllm", context=4096, concurrency=4), 4096, 1),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "engine", "context", "concurrency"), SLOTS.values(), ids=SLOTS)
def test_llama_cpp_divides_its_context(spec, engine, context, concurrency):
    need = size(spec, FILES, engine)

    assert (need.context, need.concurrency) == (context, concurrency)


def test_an_upper_bound_is_marked_as_assumed():
    need = size(ModelSpec(), ModelFiles(Files(Weights.of(5), "", replace(TRAITS, assumed="this is assumed"))), VLLM)

    assert "this is assumed" in need.warnings
    assert "assumed" in dict(need.sources)["kv_mib"]


FAMILIAR = Traits(kind="novelnet", heads=32, kv_heads=8, layers=32, hidden_size=4096, max_context=8192)
OWN_NUMBERS = {
    "familiar fields are no promise": (Architecture(), None),
    "the owner's numbers are":        (Architecture(kv_heads=8), 8192 * 32 * 2048 * 2),
}  # fmt: skip


@pytest.mark.parametrize(("architecture", "kv_bytes"), OWN_NUMBERS.values(), ids=OWN_NUMBERS)
def test_the_cache_of_an_unknown_architecture(architecture, kv_bytes):
    files = ModelFiles(Files(Weights.of(100 * MIB), "safetensors headers of 1 file", FAMILIAR, "config.json"))

    assert size(ModelSpec(architecture=architecture), files, VLLM).kv_bytes == kv_bytes
