"""What must hold of every need, every division and every file."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.model import Architecture, ModelSpec
from bayplan.cluster.workload import Backend
from bayplan.framework.errors import InputError
from bayplan.sizing.config_json import Config
from bayplan.sizing.config_traits import count_weights, traits_of
from bayplan.sizing.divisions import divisions, tp_obstacle
from bayplan.sizing.engine import Engine, read_engine
from bayplan.sizing.gguf import read_gguf
from bayplan.sizing.need import MIB, Need
from bayplan.sizing.overhead import Overhead
from bayplan.sizing.safetensors import read_tensors
from bayplan.sizing.size import size
from unit.sizing.writers import GGUF_METADATA, LLAMA_8B, Memory, gguf_bytes

COUNTS = st.one_of(st.none(), st.integers(1, 200))
ENGINES = st.builds(
    Engine,
    name=st.sampled_from(["vllm", "sglang", "llama-cpp", "custom"]),
    tp=st.one_of(st.none(), st.integers(1, 9)),
    pp=st.one_of(st.none(), st.integers(1, 9)),
    dp=st.integers(1, 3),
)
NEEDS = st.builds(
    Need,
    weights_bytes=st.integers(0, 2**50),
    kv_bytes=st.integers(0, 2**50),
    overhead=st.builds(Overhead.of, st.integers(0, 2**20)),
    heads=COUNTS,
    kv_heads=COUNTS,
    layers=COUNTS,
    vocab_size=st.one_of(st.none(), st.integers(1, 300_000)),
    vision_heads=COUNTS,
)
CARDS = st.integers(1, 64)


WORDS = st.text(max_size=12) | st.sampled_from(["-tp", "--max-model-len", "--gpu-memory-utilization=0.5", "8"])


def attempt(work):
    """What comes of it, or None and the place of the refusal."""
    try:
        return work(), None
    except InputError as error:
        return None, error.place


@given(NEEDS, CARDS, CARDS)
def test_a_card_holds_what_the_formula_says(need, tp, pp):
    stage = Fraction(ceil(Fraction(need.layers, pp)), need.layers) if need.layers else Fraction(1, pp)
    share = Fraction(max(1, Fraction(need.kv_heads, tp)), need.kv_heads) if need.kv_heads else Fraction(1, tp)
    exact = Fraction(need.weights_bytes, tp) * stage + need.kv_bytes * stage * share

    assert need.card_mib(tp, pp) == ceil(exact / MIB) + need.overhead_on(tp, pp)


@given(NEEDS, CARDS, CARDS)
def test_more_cards_never_make_a_card_hold_more(need, tp, pp):
    assert need.card_mib(tp * 2, pp) <= need.card_mib(tp, pp)
    assert need.card_mib(tp, pp + 1) <= need.card_mib(tp, pp)


@given(NEEDS, CARDS, CARDS)
def test_the_cards_together_hold_the_whole(need, tp, pp):
    assert need.static_mib(tp, pp) * tp * pp * MIB >= need.weights_bytes + need.kv_bytes
    assert need.host_mib == need.card_mib(1, 1)


@given(NEEDS, ENGINES, st.integers(0, 40))
def test_divisions_are_allowed_ordered_and_of_their_cards(need, engine, most):
    found = divisions(need, engine, most)

    assert all(each.cards == each.tp * each.pp * engine.dp <= most for each in found)
    assert all(engine.tp in (None, each.tp) for each in found if engine.divides_layers)
    assert all(tp_obstacle(need, each.tp) is None for each in found if engine.divides_layers)
    assert all(each.card_mib == need.card_mib(each.tp, each.pp) for each in found)
    keys = [(each.pp > 1, each.cards, -each.tp) for each in found]
    assert keys == sorted(set(keys))


@given(NEEDS, ENGINES, st.integers(0, 40))
def test_more_cards_only_add_divisions(need, engine, most):
    assert set(divisions(need, engine, most)) <= set(divisions(need, engine, most + 1))


@given(
    st.lists(st.text(max_size=12) | st.sampled_from(["-tp", "--max-model-len", "--gpu-memory-utilization=0.5", "8"]))
)
def test_any_words_are_read_or_refused(words):
    for name in ("vllm", "sglang", "llama-cpp", "custom"):
        engine, place = attempt(lambda name=name: read_engine(Backend(name, tuple(words))))

        assert engine is not None or place.startswith("backend.args[")
        assert engine is None or engine.fraction is None or 0 < engine.fraction <= 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from(
    [*LLAMA_8B, "text_config", "vision_config", "num_experts", "kv_lora_rank", "layer_types", "sliding_window",
     "sliding_window_pattern", "quantization_config", "full_attention_interval", "attn_config", "ffn_config",
     "moe_layer_freq", "mlp_only_layers", "hybrid_override_pattern", "block_configs", "linear_attn_config",
     "cross_attention_layers", "attn_type_list", "global_head_dim", "num_kv_shared_layers", "audio_config",
     "thinker_config", "language_config", "moe_layer_end_index", "time_step_rank", "n_routed_experts"]
)  # fmt: skip
KINDS = st.sampled_from(
    [
        "llama",
        "gemma3_text",
        "jamba",
        "bert",
        "t5",
        "deepseek_v3",
        "novelnet",
        "nemotron_h",
        "qwen3_next",
        "kimi_linear",
        "nemotron-nas",
        "mllama",
        "gpt_oss",
        "mamba",
        "deepseek_v4",
        "llama4_text",
        "lfm2",
    ]
)


@given(st.dictionaries(NAMES, VALUES, max_size=6), KINDS)
def test_any_config_is_read_or_refused(changes, kind):
    config = LLAMA_8B | changes | {"model_type": kind}
    traits, place = attempt(lambda: traits_of(Config.of(config)))
    counted, other_place = attempt(lambda: count_weights(Config.of(config)))

    assert place if traits is None else traits.heads is None or traits.heads > 0
    assert other_place is None or other_place
    assert counted is None or counted.weights is None or counted.weights.half.total_bytes > 0
    assert traits is None or traits.attention != () or kind in ("bert", "mamba")


@given(st.data())
def test_any_change_of_a_header_is_read_or_refused(data):
    content = bytearray(gguf_bytes(GGUF_METADATA, {"t": ("Q4_K", [256, 4]), "u": ("F32", [3])})[0])
    for position in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=4)):
        content[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    header, place = attempt(lambda: read_gguf(Memory(bytes(content[:cut]))))

    assert header is not None or place.startswith("byte ")
    assert header is None or all(0 <= size_bytes < 2**63 for size_bytes in header.tensors.values())


@given(st.binary(max_size=60), st.integers(0, 60))
def test_any_bytes_of_a_safetensors_header_are_read_or_refused(noise, position):
    header = b'{"a":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}}'
    for text in (noise, header[:position] + noise + header[position:], header[:position]):
        found, place = attempt(lambda text=text: read_tensors(text, 12))

        assert place if found is None else sum(tensor.size_bytes for tensor in found.values()) <= 12


@given(st.integers(1, 10**6), st.integers(1, 1000), st.integers(1, 128))
def test_a_longer_context_never_needs_less(context, concurrency, layers):
    def kv_bytes(tokens, sequences):
        architecture = Architecture(heads=8, kv_heads=8, layers=layers, head_dim=128)
        spec = ModelSpec(weights_mib=1, context=tokens, concurrency=sequences, architecture=architecture)
        return size(spec, None, Engine("vllm")).kv_bytes

    assert kv_bytes(context, concurrency) == pytest.approx(2 * 2 * layers * 8 * 128 * context * concurrency, abs=0)
    assert kv_bytes(context + 1, concurrency) > kv_bytes(context, concurrency)
