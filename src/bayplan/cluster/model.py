"""The model that a workload serves: what its owner says about its size."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.cluster.quantities import refuse_negative
from bayplan.framework.errors import InputError


@dataclass(frozen=True, slots=True)
class Architecture:
    """The numbers that decide how a model may be divided; what is not known is None."""

    heads: int | None = None
    kv_heads: int | None = None
    layers: int | None = None
    vocab_size: int | None = None
    hidden_size: int | None = None
    head_dim: int | None = None
    vision_heads: int | None = None

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "heads": self.heads,
                "kvHeads": self.kv_heads,
                "layers": self.layers,
                "vocabSize": self.vocab_size,
                "hiddenSize": self.hidden_size,
                "headDim": self.head_dim,
                "visionHeads": self.vision_heads,
            }
        )


UNKNOWN_ARCHITECTURE = Architecture()


@dataclass(frozen=True, slots=True)
class ModelPart:
    """What is loaded beside the weights, a LoRA or a draft model: its size, or the folder that tells it."""

    size_mib: int | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        refuse_negative({"": self.size_mib})
        if (self.size_mib is None) == (self.path is None):
            raise InputError("give either a size or a path", next="write 512Mi, or the path of its files")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Numbers given here take precedence over everything that files tell.

    `kv_cache_mib` counts for a whole replica at tensor parallel 1, `overhead_mib` for each card. Without a
    `concurrency` the cache is counted for one sequence. With `kv_rest` the engine takes all that a card has left.
    """

    name: str | None = None
    path: str | None = None
    weights_mib: int | None = None
    context: int | None = None
    concurrency: int | None = None
    kv_dtype: str | None = None
    kv_cache_mib: int | None = None
    overhead_mib: int | None = None
    loras: tuple[ModelPart, ...] = ()
    draft: ModelPart | None = None
    architecture: Architecture = UNKNOWN_ARCHITECTURE
    kv_rest: bool = False

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "weights": self.weights_mib,
                "context": self.context,
                "concurrency": self.concurrency,
                "kvCache": self.kv_cache_mib,
                "overhead": self.overhead_mib,
            }
        )
