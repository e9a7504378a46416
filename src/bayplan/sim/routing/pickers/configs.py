"""Configurations of the product's router that a replay compares."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

OwnPolicy: TypeAlias = Literal["early", "late"]

GIE_DEFAULTS: Final[dict[str, Any]] = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
"""Prefix 3, queue 2, KV cache 2: what counts where nothing is given."""

TOKEN_LOAD: Final[dict[str, Any]] = {
    **GIE_DEFAULTS,
    "plugins": [{"type": "prefix-cache-affinity-filter"}, {"type": "token-load-scorer"}],
    "schedulingProfiles": [
        {
            "name": "default",
            "plugins": [{"pluginRef": "prefix-cache-affinity-filter"}, {"pluginRef": "token-load-scorer"}],
        }
    ],
}
"""llm-d's token load: engines with 80 % of the prompt unless that costs 18 s, of these the fewest tokens ahead."""


def own(policy: OwnPolicy, token_s: float, block_tokens: int) -> dict[str, Any]:
    """Our own policy; `token_s` is what it believes that a prompt token takes."""
    parameters = {"secondsPerToken": token_s, "blockSizeTokens": block_tokens}
    return {
        "scheduler": "routing",
        "ownPolicy": policy,
        "plugins": [{"type": "prefill-cost-scorer", "parameters": parameters}],
    }
