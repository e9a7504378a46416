"""Which files of a model's folder are its weights: the same weights in several formats count once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Format = Literal["safetensors", "gguf", "pickled"]

CONFIG = "config.json"
INDEX = "model.safetensors.index.json"
QUANT_CONFIG = "hf_quant_config.json"
MOST_SPLITS = 1000  # a hostile name could announce 99,999 parts

_SPLIT = re.compile(r"(.+)-([0-9]{5})-of-([0-9]{5})\.gguf")
_PICKLED = (".bin", ".pt", ".pth", ".ckpt")
_TRAINING = re.compile(r"(?:training_args|optimizer|scheduler|scaler|rng_state|random_states|trainer_state).*")


@dataclass(frozen=True, slots=True)
class WeightFiles:
    """The format that counts, and the names of its files in order."""

    format: Format
    names: tuple[str, ...]


def weight_files(names: Iterable[str]) -> WeightFiles | None:
    """The weights among the files of a folder; None where there are none.

    Safetensors count before GGUF, and both before pickles, because their headers tell more than a size.
    """
    there = sorted(names)
    if tensors := _safetensors(there):
        return WeightFiles("safetensors", tensors)
    if gguf := [name for name in there if name.endswith(".gguf")]:
        return WeightFiles("gguf", _one_gguf(gguf))
    for suffix in _PICKLED:
        if pickles := tuple(name for name in there if name.endswith(suffix) and not _TRAINING.fullmatch(name)):
            return WeightFiles("pickled", pickles)
    return None


def split_parts(name: str) -> tuple[str, ...]:
    """All files of a split GGUF model of which one is named; only that file where it is not split."""
    found = _SPLIT.fullmatch(name)
    if found is None:
        return (name,)
    if int(found[3]) > MOST_SPLITS:
        raise InputError(f"{name} is one of {int(found[3]):,} parts", next=f"at most {MOST_SPLITS:,} are read")
    return tuple(f"{found[1]}-{number:05}-of-{found[3]}.gguf" for number in range(1, int(found[3]) + 1))


def _safetensors(names: Sequence[str]) -> tuple[str, ...]:
    """The safetensors of a model; a consolidated copy of the shards and adapters count only where they are alone."""
    found = [name for name in names if name.endswith(".safetensors")]
    plain = [name for name in found if not name.startswith(("consolidated", "adapter_model"))]
    return tuple(plain or [name for name in found if name.startswith("consolidated")] or found)


def _one_gguf(names: Sequence[str]) -> tuple[str, ...]:
    """The files of the only model of a folder, and its vision tower (`mmproj`)."""
    seeing = [name for name in names if name.lower().startswith("mmproj")]
    models = dict.fromkeys(split_parts(name) for name in names if name not in seeing)
    if len(models) > 1:
        first, second = (parts[0] for parts in list(models)[:2])
        raise InputError(f"{len(models)} GGUF models are here, {first} and {second} among them", next="name one file")
    return (*next(iter(models), ()), *seeing[:1])
