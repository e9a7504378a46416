"""Which blocks of the prompt each endpoint holds, by its own word."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.routing.prefix.precise import PreciseMatching


@dataclass(slots=True, eq=False)
class PrecisePrefixCacheProducer(PreciseMatching):
    """Produces how many blocks of the prompt each endpoint holds, by the KV events of its engine.

    Only full blocks count. A block in CPU memory counts 0.8, in GPU memory 1. Blocks match from the first on, without a
    gap.

    Parameters:
        token_processor_config: how prompts are cut into blocks.
        indexer_config: settings of llm-d's index; they have no effect here.
        kv_events_config: where events come from; the reader of events uses it.
        speculative_indexing: whether a picked endpoint is taken to hold the request's blocks for 2 s.
    """

    name = "precise-prefix-cache-producer"
