"""How long one step of an engine takes, and the profiles of two published kinds of engine."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Timing:
    """A step takes base + prefill + decode.

    Each prefilled token costs `prefill_s` plus `position_s` for each position before it, because attention looks back.
    Each decoded token costs `context_s` for each token of its context, because those are read from memory; its
    arithmetic hides behind reading the weights, which is `base_s`.
    """

    base_s: float
    prefill_s: float
    position_s: float
    context_s: float
    adapter_load_s: float = 0.0

    def prefill(self, begin: int, end: int) -> float:
        """The seconds of the tokens at positions begin to end - 1; chunks of a prompt add up to the whole."""
        tokens = end - begin
        return tokens * self.prefill_s + self.position_s * (tokens * (begin + end - 1) / 2)

    def scaled(self, factor: float) -> Timing:
        """The timing of an engine that takes this many times as long for everything."""
        return Timing(
            self.base_s * factor,
            self.prefill_s * factor,
            self.position_s * factor,
            self.context_s * factor,
            self.adapter_load_s * factor,
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of engine: its timing, its room for KV, and how many tokens a step may hold."""

    name: str
    timing: Timing
    kv_tokens: int
    step_tokens: int
    kv_bytes_per_token: int
    model_tokens: int

    def with_timing(self, **seconds: float | None) -> Profile:
        """The profile with the seconds that are given; None keeps what is there."""
        given = {name: value for name, value in seconds.items() if value is not None}
        return replace(self, timing=replace(self.timing, **given))

    def faster(self, factor: float) -> Profile:
        """The profile of an engine that does everything so many times as fast."""
        return replace(self, timing=self.timing.scaled(1 / factor))


PROFILES = {
    # 70 billion parameters on eight A100-80G: 140 GB of weights and 320 KiB of KV a token at 16 TB/s, half of the
    # peak arithmetic. 2,660 blocks of 512 tokens.
    "70b": Profile("70b", Timing(15e-3, 112e-6, 2.1e-9, 25e-9, 20e-3), 2_660 * 512, 2_048, 327_680, 131_072),
    # 8 billion parameters on one H100: 16 GB of weights and 128 KiB of KV a token at 3.3 TB/s. 790 blocks of 512.
    "8b": Profile("8b", Timing(6.5e-3, 36e-6, 1.2e-9, 45e-9, 5e-3), 790 * 512, 8_192, 131_072, 131_072),
}
