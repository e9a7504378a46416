"""Which endpoint has encoded which media."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.routing.factors.no_columns import NoColumns
from bayplan.routing.plugin_kinds import EXTRACTOR


@dataclass(frozen=True, slots=True)
class MmEmbeddingsCacheProducer(NoColumns):
    """Read, but without effect of its own: the table of endpoints has the media that each of them encoded.

    `mm-embeddings-cache-scorer` writes them there.

    Parameters:
        cache_size_in_MB: the size of an encoder cache, without effect: the sizes of encoded media are unknown.
    """

    cache_size_in_MB: int = 0  # noqa: N815 (documents say cacheSizeInMB)

    name = "mm-embeddings-cache-producer"
    kinds = (EXTRACTOR,)
