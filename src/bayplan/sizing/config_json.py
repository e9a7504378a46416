"""Reads the traits of a model from its config.json, whichever of the usual names it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.sizing import families
from bayplan.sizing.facts import KvLayers, Traits
from bayplan.sizing.layer_kinds import MOST_LAYERS, layer_windows
from bayplan.sizing.section import Section

if TYPE_CHECKING:
    from bayplan.sizing.facts import Attention

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads", "encoder_attention_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers")
HIDDEN = ("hidden_size", "n_embd", "d_model", "dim")
HEAD_DIM = ("head_dim", "kv_channels", "attention_head_dim", "d_kv")
VOCABULARY = ("vocab_size", "padded_vocab_size")
INNER = ("intermediate_size", "n_inner", "ffn_hidden_size", "decoder_ffn_dim", "ffn_dim", "d_ff")
CONTEXT = (
    "max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx", "max_sequence_length",
    "max_target_positions",
)  # fmt: skip
EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts")
EXPERTS_USED = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "top_k_experts")
EXPERT_INNER = ("moe_intermediate_size", "expert_ffn_hidden_size")

_VISION = ("vision_config", "vision_tower_config", "vit_config", "visual")
_VISION_HEADS = ("num_attention_heads", "num_heads", "heads", "n_heads")
_USUAL_EXPERTS_USED = 8
_WHISPER_FRAMES = 1500


@dataclass(frozen=True, slots=True)
class Config:
    """A config.json, and the part of it that describes the text model."""

    root: Section
    text: Section

    @classmethod
    def of(cls, data: object) -> Config:
        """The text model is `llm_config`, else `text_config`, else the root, else the thinker's text model."""
        root = Section(data)
        thinker = root.inner("thinker_config")
        parts = (root.inner("llm_config"), root.inner("text_config"), root, thinker and thinker.inner("text_config"))
        text = next((part for part in parts if part is not None and any(name in part for name in HEADS)), root)
        return cls(root, text)

    @property
    def kind(self) -> str:
        """The model type that is known, the text model's first; an unknown one as it stands there."""
        names = [self.text.text("model_type"), self.root.text("model_type")]
        named = [name for name in names if name] or [
            name for name in self.root.words("architectures", most_entries=MOST_LAYERS) or () if name
        ]
        return next((name for name in named if name in families.KNOWN), named[0] if named else "")

    def count(self, *names: str, most: int = 2**31 - 1) -> int | None:
        """Of the text model, else of the root."""
        return self.text.count(*names, most=most) or self.root.count(*names, most=most)


def read_config(data: object) -> Traits:
    """What a config.json says; InputError with the field where a number is none."""
    config = Config.of(data)
    text, kind = config.text, config.kind
    heads = text.count(*HEADS)
    hidden = text.count(*HIDDEN)
    latent = _latent(text)
    return Traits(
        kind=kind,
        heads=heads,
        kv_heads=1 if latent else kv_heads(text, heads),
        layers=text.count(*LAYERS, most=MOST_LAYERS),
        vocab_size=config.count(*VOCABULARY),
        hidden_size=hidden,
        head_dim=head_dim(text, heads, hidden),
        intermediate_size=inner_size(text),
        experts_per_token=_experts_per_token(text),
        vision_heads=_vision_heads(config.root),
        max_context=config.count(*CONTEXT),
        is_mla=latent is not None,
        is_encoder=kind in families.ENCODERS,
        attention=_attention(config, kind, heads, hidden, latent),
    )


def head_dim(text: Section, heads: int | None, hidden: int | None) -> int | None:
    """As told, else the hidden size over the heads."""
    return text.count(*HEAD_DIM) or (hidden // heads if hidden and heads else None)


def kv_heads(text: Section, heads: int | None) -> int | None:
    """As told; one where the model asks many questions of one key; as many as heads where nothing is said."""
    if (groups := text.count("multi_query_group_num")) and text.flag("multi_query_attention"):
        return groups
    listed = text.counts("num_key_value_heads", most_entries=MOST_LAYERS)
    if listed is not None:
        return min((count for count in listed if count), default=None)
    nested = text.inner("attn_config")
    if told := text.count(*KV_HEADS) or (nested and nested.count("kv_n_heads")):
        return told
    return 1 if text.flag("multi_query") else heads


def inner_size(text: Section) -> int | None:
    """Of one expert where there are experts."""
    if isinstance(text.get("intermediate_size"), list):
        return max(text.counts("intermediate_size", most_entries=MOST_LAYERS) or (), default=None)
    experts = text.count(*EXPERT_INNER) if text.count(*EXPERTS) else None
    return experts or text.count(*INNER)


def _latent(text: Section) -> int | None:
    """Values a token and layer of latent attention, whatever the number of heads."""
    rank = text.count("kv_lora_rank")
    return None if rank is None else rank + (text.count("qk_rope_head_dim") or 0)


def _experts_per_token(text: Section) -> int:
    experts = text.count(*EXPERTS) or 0
    if experts < 2:
        return 0
    used = text.count(*EXPERTS_USED) or min(experts, _USUAL_EXPERTS_USED)
    return used + (text.count("n_shared_experts", "num_shared_experts") or 0)


def _vision_heads(root: Section) -> int | None:
    """Dummy heads included: engines add them so that the tower can be cut."""
    thinker = root.inner("thinker_config")
    for holder in (root, thinker):
        for name in _VISION if holder is not None else ():
            tower = holder.inner(name) if holder is not None else None
            if tower is not None and (heads := tower.count(*_VISION_HEADS)):
                return heads + (tower.count("num_dummy_heads") or root.count("num_dummy_heads") or 0)
    return None


def _attention(
    config: Config, kind: str, heads: int | None, hidden: int | None, latent: int | None
) -> Attention | None:
    if kind in families.ENCODERS or kind in families.STATEFUL:
        return ()
    text = config.text
    layers = text.count(*LAYERS, most=MOST_LAYERS)
    if kind not in families.KNOWN or layers is None:
        return None
    if kind in families.TWO_SIDED:
        return _two_sided(text, kind, layers, heads, hidden)
    windows = layer_windows(text, kind, layers)
    if windows is None:
        return None
    if latent:
        return _grouped([(latent, window) for window in windows])
    values = _values_per_token(text, windows, heads, hidden)
    return None if values is None else _grouped(list(zip(values, windows, strict=True)))


def _values_per_token(
    text: Section, windows: tuple[int | None, ...], heads: int | None, hidden: int | None
) -> list[int] | None:
    width = head_dim(text, heads, hidden)
    if width is None:
        return None
    both = width + (text.count("v_head_dim") or width)
    listed = text.counts("num_key_value_heads", most_entries=MOST_LAYERS)
    if listed is not None:
        return [count * both for count in listed] if len(listed) == len(windows) else None
    shared = kv_heads(text, heads)
    return None if shared is None else [shared * both] * len(windows)


def _two_sided(text: Section, kind: str, layers: int, heads: int | None, hidden: int | None) -> Attention | None:
    """What the decoder wrote, and what the encoder told it: for audio never more than one window of frames."""
    width = head_dim(text, heads, hidden)
    if width is None or heads is None:
        return None
    frames = (text.count("max_source_positions") or _WHISPER_FRAMES) if kind == "whisper" else None
    values = 2 * heads * width
    return (KvLayers(layers, values), KvLayers(layers, values, frames))


def _grouped(layers: list[tuple[int, int | None]]) -> Attention:
    counted: dict[tuple[int, int | None], int] = {}
    for each in layers:
        counted[each] = counted.get(each, 0) + 1
    return tuple(KvLayers(count, values, window) for (values, window), count in counted.items())
