"""The kinds of model whose config.json is understood, as data: add a name to teach another one.

A name that is not listed is an unknown kind. With the usual fields it is counted as a gated decoder without windows,
which is an upper bound, and the answer says that this is assumed.
"""

from __future__ import annotations

from typing import Final


def names(text: str) -> frozenset[str]:
    """A set of names from one text, which is easier to read than a list of quoted names."""
    return frozenset(text.split())


GATED: Final = names(
    """
    apertus aquila baichuan bailing_moe chatglm cohere cohere2 command-r dbrx deepseek deepseek_v2 deepseek_v3
    deepseek_v32 deepseek_v4 dots1 ernie4_5 ernie4_5_moe ernie4_5_moe_vl exaone exaone4 gemma gemma2 gemma3 gemma3_text
    gemma3n gemma3n_text gemma4 gemma4_text glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_text glm4v_moe glm4v_moe_text
    glm_moe_dsa gpt_oss granite granitemoe granitemoeshared grok-1 helium hunyuan hunyuan_v1_dense hunyuan_v1_moe
    internlm internlm2 internlm2_ve internlm3 jais kimi_k2 kimi_vl llama llama4 llama4_text longcat_flash mimo
    mimo_v2_flash minicpm minicpm3 minimax_m2 minimax_m3 minimax_m3_text ministral mistral mistral3 mixtral mllama
    mllama_text_model olmo olmo2 olmo3 olmoe orion phi3 phi3small phi4mm phimoe qwen qwen2 qwen2_moe qwen2_vl
    qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text qwen3 qwen3_moe qwen3_omni_moe_text qwen3_vl
    qwen3_vl_text qwen3_vl_moe qwen3_vl_moe_text seed_oss skywork smollm3 solar stablelm telechat xverse yi yuan
    """
)
"""Decoders whose inner layer has three matrices."""

UNGATED: Final = names(
    """
    bloom codegen falcon gpt2 gpt_bigcode gpt_neo gpt_neox gptj mpt nemotron opt persimmon phi phi-msft starcoder2
    """
)
"""Decoders whose inner layer has two matrices."""

HYBRID: Final = names(
    """
    bamba decilm falcon_h1 granitemoehybrid jamba kimi_k3 kimi_linear lfm2 lfm2_moe minimax_text_01 minimax_m1 minimax
    nemotron-nas nemotron_h qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text
    """
)
"""Decoders in which some layers keep a state, or nothing, instead of a KV cache."""

WRAPPERS: Final = names(
    """
    aria chameleon deepseek_vl_v2 fuyu idefics2 idefics3 internvl internvl_chat internvl_chat_model kimi_k25 kimi_vl
    llava llava_next llava_next_video llava_onevision minicpmv minicpmo molmo ovis paligemma phi3_v pixtral
    qwen2_5_omni qwen2_audio qwen3_omni_moe skywork_chat smolvlm ultravox video_llava
    """
)
"""Models that wrap a text model; the text model decides the size of the cache."""

ENCODERS: Final = names(
    """
    albert bert bge camembert clip clip_text_model deberta deberta-v2 distilbert electra ernie eurobert gte layoutlm
    layoutlmv2 layoutlmv3 longformer modernbert mpnet new nomic_bert roberta roformer siglip siglip2 vit xlm
    xlm-roberta xlm-roberta-xl xlnet
    """
)
"""Encoders: they process a whole text at once and cache nothing."""

ENCODER_DECODERS: Final = names("bart blenderbot longt5 m2m_100 marian mbart mt5 nllb-moe pegasus t5 umt5 whisper")
"""Encoders with a decoder, which caches its own tokens and the output of the encoder."""

STATEFUL: Final = names("falcon_mamba mamba mamba2")
"""Models in which every layer keeps a state, and none has a KV cache."""

_GATED_ENCODERS: Final = names("eurobert modernbert new nomic_bert")

TWO_MATRICES: Final = (UNGATED | ENCODERS | names("nemotron_h t5 whisper")) - _GATED_ENCODERS
"""Kinds whose inner layer has no gate."""

CACHE_ASSUMED: Final = names("deepseek_v4")
"""Kinds whose layers compress their cache: the size without compression is an upper bound."""

WINDOW_PATTERNS: Final = {
    "gemma2": 2, "gemma3": 6, "gemma3_text": 6, "gemma3n": 5, "gemma3n_text": 5, "cohere2": 4, "gpt_oss": 2,
    "ministral": 4, "exaone4": 4, "olmo3": 4,
}  # fmt: skip
"""Every n-th layer has no window, in kinds whose config.json names a window and does not say which layers use it."""

CHUNK_PATTERNS: Final = {"llama4": 4, "llama4_text": 4}

LLAMA_CPP_WINDOWS: Final = names(
    "gemma2 gemma3 gemma3_text gemma3n gemma3n_text cohere2 gpt_oss gpt-oss exaone4 llama4 llama4_text"
)
"""The kinds whose windows llama.cpp uses; it ignores the windows of every other kind."""

KNOWN: Final = GATED | UNGATED | HYBRID | WRAPPERS | ENCODERS | ENCODER_DECODERS | STATEFUL
