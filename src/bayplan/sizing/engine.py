"""What an engine is told on its command line about cards, memory and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.sizing.flags import read_flags, read_switches
from bayplan.sizing.kv_cache import value_bytes

if TYPE_CHECKING:
    from fractions import Fraction

    from bayplan.cluster.workload import Backend
    from bayplan.sizing.flags import Flag

EngineName = Literal["vllm", "sglang", "llama-cpp", "custom"]

ALIASES: dict[str, EngineName] = {
    "vllm": "vllm",
    "sglang": "sglang",
    "llama-cpp": "llama-cpp",
    "llama.cpp": "llama-cpp",
    "llamacpp": "llama-cpp",
    "llama-box": "llama-cpp",
    "llama-server": "llama-cpp",
    "custom": "custom",
}
"""The names of backends in lower case, and the engine that each stands for."""

_DIVIDING = {
    "--tensor-parallel-size": "tp",
    "--pipeline-parallel-size": "pp",
    "--data-parallel-size": "dp",
    "-tp": "tp",
    "-pp": "pp",
    "-dp": "dp",
    "--kv-cache-dtype": "kv-dtype",
}
_VLLM = _DIVIDING | {
    "--prefill-context-parallel-size": "pcp",
    "-pcp": "pcp",
    "--gpu-memory-utilization": "fraction",
    "--max-model-len": "context",
    "--max-num-seqs": "concurrency",
    "--max-num-batched-tokens": "batch-tokens",
    "--dtype": "dtype",
    "--mm-encoder-tp-mode": "tower-mode",
    "--kv-cache-memory-bytes": "cache-bytes",
}
_SGLANG = _DIVIDING | {
    "--tp-size": "tp",
    "--tp": "tp",
    "--pp-size": "pp",
    "--pp": "pp",
    "--dp-size": "dp",
    "--dp": "dp",
    "--mem-fraction-static": "fraction",
    "--context-length": "context",
    "--max-running-requests": "concurrency",
    "--chunked-prefill-size": "batch-tokens",
    "--max-total-tokens": "total-tokens",
    "--dtype": "dtype",
    "--ep-size": "ep",
    "--ep": "ep",
    "--expert-parallel-size": "ep",
}
_LLAMA_CPP = {
    "-c": "context",
    "--ctx-size": "context",
    "-np": "concurrency",
    "--parallel": "concurrency",
    "-ngl": "gpu-layers",
    "--gpu-layers": "gpu-layers",
    "--n-gpu-layers": "gpu-layers",
    "-b": "batch-tokens",
    "--batch-size": "batch-tokens",
    "-ub": "ubatch-tokens",
    "--ubatch-size": "ubatch-tokens",
    "-fa": "flash-attention",
    "--flash-attn": "flash-attention",
    "-ts": "tensor-split",
    "--tensor-split": "tensor-split",
    "-ctk": "kv-dtype",
    "--cache-type-k": "kv-dtype",
    "-ctv": "v-dtype",
    "--cache-type-v": "v-dtype",
}
_FLAGS: dict[EngineName, dict[str, str]] = {"vllm": _VLLM, "sglang": _SGLANG, "llama-cpp": _LLAMA_CPP, "custom": {}}
_FRACTION_KINDS: dict[EngineName, Literal["utilization", "static"]] = {"vllm": "utilization", "sglang": "static"}
_SWITCHES: dict[EngineName, tuple[str, ...]] = {
    "vllm": (
        "--enforce-eager", "--enable-chunked-prefill", "--enable-expert-parallel", "--disable-sliding-window",
        "--disable-hybrid-kv-cache-manager",
    ),
    "sglang": ("--disable-cuda-graph", "--enable-dp-attention", "--mm-enable-dp-encoder"),
    "llama-cpp": ("--swa-full",),
    "custom": (),
}  # fmt: skip
_WINDOWLESS = ("--disable-sliding-window", "--disable-hybrid-kv-cache-manager", "--swa-full")
_OFF = frozenset({"off", "0", "false", "disabled", "no"})

USUAL_BATCH_TOKENS = 2048
USUAL_UBATCH_TOKENS = 512
"""Tokens that llama.cpp processes at once by default (`--ubatch-size`)."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine and what its flags fix; None means that no flag fixes it and Bayplan may choose.

    `fraction` is of each card: the whole booking for vLLM (`utilization`), weights and KV cache for SGLang
    (`static`). `dp` counts whole copies. `kv_dtype` and `v_dtype` are as the engine spells them, `dtype` is that of
    the weights. `eager` captures no graphs. Without `keeps_windows` every layer keeps the whole context.
    `whole_experts` are not cut by tensor parallel, and with `whole_tower` every card holds the whole vision tower.
    """

    name: EngineName = "custom"
    tp: int | None = None
    pp: int | None = None
    dp: int = 1
    fraction: Fraction | None = None
    fraction_kind: Literal["utilization", "static"] | None = None
    context: int | None = None
    concurrency: int | None = None
    batch_tokens: int | None = None
    gpu_layers: int | None = None
    kv_dtype: str | None = None
    v_dtype: str | None = None
    ubatch_tokens: int = USUAL_UBATCH_TOKENS
    dtype: str | None = None
    eager: bool = False
    chunked_prefill: bool = True
    flash_attention: bool = True
    keeps_windows: bool = True
    whole_experts: bool = False
    whole_tower: bool = False

    @property
    def divides_layers(self) -> bool:
        """Whether the engine divides layers into pipeline stages of equal size."""
        return self.name in ("vllm", "sglang")


CUSTOM = Engine()


@lru_cache(maxsize=1024)
def read_engine(backend: Backend | None) -> Engine:
    """The engine of a backend. Without a backend it is `custom`, an engine of which no flag is understood."""
    if backend is None:
        return CUSTOM
    name = engine_name(backend.name)
    flags = flags_of(backend)
    fraction = flags["fraction"].fraction() if "fraction" in flags else None
    switches = read_switches(backend.args, _SWITCHES[name])
    whole: dict[str, int] = {
        key: flags[key].whole() for key in ("tp", "pp", "dp", "pcp", "ep", "concurrency") if key in flags
    }
    return Engine(
        name=name,
        tp=whole.get("tp"),
        pp=whole.get("pp"),
        dp=_copies(whole, switches),
        fraction=fraction,
        fraction_kind=_FRACTION_KINDS.get(name) if fraction is not None else None,
        context=_context(name, flags["context"]) if "context" in flags else None,
        concurrency=whole.get("concurrency"),
        batch_tokens=flags["batch-tokens"].tokens() if "batch-tokens" in flags else None,
        gpu_layers=_gpu_layers(flags["gpu-layers"]) if "gpu-layers" in flags else None,
        kv_dtype=_dtype(flags["kv-dtype"]) if "kv-dtype" in flags else None,
        v_dtype=_dtype(flags["v-dtype"]) if "v-dtype" in flags else None,
        ubatch_tokens=_ubatch_tokens(flags),
        dtype=flags["dtype"].word() if "dtype" in flags else None,
        eager=switches.get("--enforce-eager", switches.get("--disable-cuda-graph", False)),
        chunked_prefill=_chunked(name, flags, switches),
        flash_attention=_flash_attention(flags),
        keeps_windows=not any(switches.get(each) for each in _WINDOWLESS),
        whole_experts=switches.get("--enable-expert-parallel", whole.get("ep", 1) > 1),
        whole_tower=switches.get("--mm-enable-dp-encoder", _tower_mode(flags) == "data"),
    )


def flags_of(backend: Backend) -> dict[str, Flag]:
    """The flags that count here, by meaning: tp, pp, dp, fraction, context, kv-dtype and so on."""
    return read_flags(backend.args, _FLAGS[engine_name(backend.name)])


def engine_name(name: str) -> EngineName:
    """The engine that a backend's name stands for."""
    found = ALIASES.get(name.casefold().replace("_", "-"))
    if found is None:
        raise InputError(
            f"no backend is called {name!r}",
            place="backend.name",
            next=did_you_mean(name, ALIASES),
        )
    return found


def _copies(whole: dict[str, int], switches: dict[str, bool]) -> int:
    """Data-parallel ranks that each hold the whole model. Data-parallel attention of SGLang adds no such rank."""
    if switches.get("--enable-dp-attention"):
        return 1
    return whole.get("dp", 1) * whole.get("pcp", 1)


def _ubatch_tokens(flags: dict[str, Flag]) -> int:
    found = flags["ubatch-tokens"].tokens() if "ubatch-tokens" in flags else None
    return found or USUAL_UBATCH_TOKENS


def _chunked(name: EngineName, flags: dict[str, Flag], switches: dict[str, bool]) -> bool:
    """Whether a long text is processed in several steps (chunked prefill); SGLang switches that off with -1."""
    if name == "sglang" and "batch-tokens" in flags:
        return flags["batch-tokens"].text != "-1"
    return switches.get("--enable-chunked-prefill", True)


def _flash_attention(flags: dict[str, Flag]) -> bool:
    return "flash-attention" not in flags or (flags["flash-attention"].text or "").casefold() not in _OFF


def _tower_mode(flags: dict[str, Flag]) -> str | None:
    return flags["tower-mode"].text if "tower-mode" in flags else None


def _gpu_layers(flag: Flag) -> int | None:
    """The layers to put on cards; None where all of them, or as many as fit, are wanted."""
    return None if flag.text in ("all", "auto", "-1") else flag.whole(least=0)


def _dtype(flag: Flag) -> str:
    """A kind of KV cache whose size is known."""
    value_bytes(flag.word(), flag.place)
    return flag.word()


def _context(name: EngineName, flag: Flag) -> int | None:
    """The context that the flags state; None where the engine takes that of the model, which llama.cpp spells 0."""
    return None if name == "llama-cpp" and flag.text == "0" else flag.tokens()
