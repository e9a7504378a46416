"""The kinds of model whose config.json is understood, as data: add a name to teach another one.

A name that stands nowhere here is an unknown architecture: it is sized from its tensors, and its KV cache is
unknown, for nobody can say what its layers keep.
"""

from __future__ import annotations

from typing import Final


def names(text: str) -> frozenset[str]:
    """A list of names as a table of them is easiest to read."""
    return frozenset(text.split())


GATED: Final = names(
    """
    aquila baichuan chatglm cohere cohere2 command-r dbrx deepseek deepseek_v2 deepseek_v3 deepseek_v32 dots1 ernie4_5
    ernie4_5_moe exaone exaone4 gemma gemma2 gemma3 gemma3_text glm glm4 glm4_moe glm4v glm4v_moe gpt_oss granite
    granitemoe granitemoeshared grok-1 helium hunyuan hunyuan_v1_dense hunyuan_v1_moe internlm internlm2 internlm3
    internlm2_ve jais kimi_k2 kimi_vl llama llama4 llama4_text longcat_flash mimo minicpm minicpm3 minimax_m2 ministral
    mistral mistral3 mixtral mllama mllama_text_model olmo olmo2 olmo3 olmoe orion phi3 phi3small phi4mm phimoe qwen
    qwen2 qwen2_moe qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen3 qwen3_moe qwen3_vl qwen3_vl_text
    qwen3_vl_moe qwen3_vl_moe_text seed_oss skywork smollm3 solar stablelm telechat xverse yi yuan
    """
)
"""Plain decoders whose inner layer has three matrices."""

UNGATED: Final = names(
    """
    bloom codegen falcon gpt2 gpt_bigcode gpt_neo gpt_neox gptj mpt nemotron opt persimmon phi phi-msft starcoder2
    """
)
"""Plain decoders whose inner layer has two matrices."""

HYBRID: Final = names(
    """
    bamba decilm falcon_h1 gemma3n gemma3n_text granitemoehybrid jamba kimi_linear lfm2 lfm2_moe mimo_v2_flash
    minimax_text_01 minimax nemotron-nas nemotron_h openelm qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe
    qwen3_5_moe_text recurrent_gemma
    """
)
"""Decoders whose layers differ so much that config.json tells what they cache, but not how large they are."""

WRAPPERS: Final = names(
    """
    aria chameleon deepseek_vl_v2 fuyu gemma3 idefics2 idefics3 internvl internvl_chat internvl_chat_model kimi_vl
    llava llava_next llava_next_video llava_onevision minicpmv minicpmo mistral3 molmo ovis paligemma phi3_v pixtral
    qwen2_5_omni qwen2_audio qwen3_omni_moe skywork_chat smolvlm ultravox video_llava
    """
)
"""Models around a text model, which decides the cache."""

ENCODERS: Final = names(
    """
    albert bert bge camembert clip clip_text_model deberta deberta-v2 distilbert electra ernie eurobert gte layoutlm
    layoutlmv2 layoutlmv3 longformer modernbert mpnet new nomic_bert roberta roformer siglip siglip2 vit xlm
    xlm-roberta xlm-roberta-xl xlnet
    """
)
"""Models that read a whole text at once and cache nothing."""

TWO_SIDED: Final = names("bart blenderbot longt5 m2m_100 marian mbart mt5 nllb-moe pegasus t5 umt5 whisper")
"""Encoders with a decoder, which caches what it wrote and what it was told."""

STATEFUL: Final = names("falcon_mamba mamba mamba2 rwkv rwkv5 rwkv6 rwkv7")
"""Models with a state of fixed size instead of a cache."""

TIED: Final = names(
    """
    bloom cohere cohere2 command-r falcon gemma gemma2 gemma3 gemma3_text gpt2 gpt_bigcode gpt_neo mpt opt starcoder2
    """
)
"""Kinds that use one matrix for reading and writing words unless their config says otherwise."""

WINDOW_PATTERNS: Final = {"gemma2": 2, "gemma3": 6, "gemma3_text": 6, "cohere2": 4, "gpt_oss": 2, "ministral": 4}
"""Every n-th layer looks all the way back; where config.json names a window and says nothing else."""

CHUNK_PATTERNS: Final = {"llama4": 4, "llama4_text": 4}

KNOWN: Final = GATED | UNGATED | HYBRID | WRAPPERS | ENCODERS | TWO_SIDED | STATEFUL
