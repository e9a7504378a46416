"""How a simulated engine is set up: from the flags of the command, which are named as vLLM names its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.sim.engine.batching.simulated_engine import Limits
from bayplan.sim.engine.batching.timing import PROFILES, Profile
from bayplan.sim.engine.faults import Faults

MOST_BLOCKS: Final = 4_000_000  # of 16 tokens: four times what the largest servers hold
_BLOCK_TOKENS: Final = (1, 8, 16, 32, 64, 128, 256, 512)
_DECIMAL: Final = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY: Final = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True, slots=True)
class Settings:
    """What an engine is and how it behaves. `names` are the names of the model; the first is the one it shows."""

    names: tuple[str, ...]
    profile: Profile
    limits: Limits
    model_tokens: int
    root: str = ""
    adapters: tuple[tuple[str, str], ...] = ()
    has_prefix_cache: bool = True
    output_tokens: int = 64
    seed: int = 0
    load_s: float = 0.0
    drain_s: float = 5.0
    faults: Faults = field(default_factory=Faults)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers that flags give; None where a flag is absent."""

    block_tokens: int = 16
    blocks: int | None = None
    kv_bytes: int | None = None
    model_tokens: int | None = None
    step_tokens: int | None = None
    sequences: int | None = None
    adapters: int = 0

    def limits(self, profile: Profile) -> Limits:
        """What the engine holds: blocks as given, else by bytes, else as the profile says."""
        if self.block_tokens not in _BLOCK_TOKENS:
            listed = ", ".join(map(str, _BLOCK_TOKENS))
            raise InputError(f"{self.block_tokens} is not one of {listed}", place="--block-size")
        step_tokens = profile.step_tokens if self.step_tokens is None else self.step_tokens
        sequences = min(256, step_tokens) if self.sequences is None else self.sequences
        for flag, value in (("--max-num-batched-tokens", step_tokens), ("--max-num-seqs", sequences)):
            if value < 1:
                raise InputError(f"{value} is less than 1", place=flag)
        if sequences > step_tokens:
            raise InputError(
                f"{sequences} sequences do not fit into steps of {step_tokens} tokens",
                place="--max-num-seqs",
                next="raise --max-num-batched-tokens or lower it",
            )
        return Limits(self._blocks(profile), self.block_tokens, step_tokens, sequences, self.adapters)

    def _blocks(self, profile: Profile) -> int:
        if self.blocks is not None:
            place, blocks = "--num-gpu-blocks-override", self.blocks
        elif self.kv_bytes is not None:
            place, blocks = "--kv-cache-memory-bytes", self.kv_bytes // (profile.kv_bytes_per_token * self.block_tokens)
        else:
            place, blocks = "--block-size", profile.kv_tokens // self.block_tokens
        if not 1 <= blocks <= MOST_BLOCKS:
            raise InputError(f"{blocks} blocks are not between 1 and {MOST_BLOCKS}", place=place)
        return blocks

    def context(self, profile: Profile, limits: Limits) -> int:
        """The longest prompt and answer together; without a flag the model's own, or what the blocks hold."""
        held = limits.blocks * limits.block_tokens
        if self.model_tokens is None:
            return min(profile.model_tokens, held)
        if not 1 <= self.model_tokens <= held:
            raise InputError(
                f"{self.model_tokens} tokens are not between 1 and the {held} that the KV cache holds",
                place="--max-model-len",
                next="lower it or raise --kv-cache-memory-bytes",
            )
        return self.model_tokens


def profile_named(name: str) -> Profile:
    """A profile by name."""
    found = PROFILES.get(name)
    if found is None:
        raise InputError(f"there is no profile {name[:80]!r}", place="--profile", next=did_you_mean(name, PROFILES))
    return found


def read_number(text: str, place: str) -> int:
    """A number as vLLM reads it: 32k is 32,000 and 32K is 32,768; also 10Gi and 10GiB."""
    digits = text.strip().removesuffix("B").removesuffix("i")
    is_binary = "i" in text
    unit = digits[-1:] if digits[-1:].isalpha() else ""
    scale = _BINARY.get(unit.upper()) if is_binary else (_BINARY | _DECIMAL).get(unit) if unit else 1
    try:
        value = float(digits.removesuffix(unit)) * scale if scale is not None else None
    except ValueError:
        value = None
    if value is None or not 0 <= value < 2**62:
        raise InputError(f"{text[:40]!r} is not a number", place=place, next="write 32768, 32k or 10Gi")
    return int(value)


def read_adapter(text: str) -> tuple[str, str]:
    """An adapter as `--lora-modules` names it: NAME=PATH."""
    name, separator, path = text.partition("=")
    if not (name and separator and path):
        raise InputError(f"{text[:80]!r} is not NAME=PATH", place="--lora-modules")
    return name, path
