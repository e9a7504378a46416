"""How many bits a weight takes, as config.json tells it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.sizing.section import Section

_FLOAT_BITS = {
    "float32": 32, "float": 32, "float16": 16, "half": 16, "bfloat16": 16,
    "float8_e4m3fn": 8, "float8_e5m2": 8, "int8": 8,
}  # fmt: skip
_SCALE_BITS = 16
_METHOD_BITS = {
    "fp8": Fraction(8),
    "fbgemm_fp8": Fraction(8),
    "mxfp4": Fraction(17, 4),
    "nvfp4": Fraction(9, 2),
    "modelopt_fp4": Fraction(9, 2),
}
_USUAL_GROUP = 128


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits of a plain tensor, and of a matrix inside a layer; `experts_only` where the other matrices stay plain."""

    plain: Fraction
    matrix: Fraction
    experts_only: bool = False
    name: str = ""


def read_bits(root: Section, text: Section) -> Bits | None:
    """None where the weights are packed in a way that nobody described; 16 bits where nothing is said."""
    told = root.get("torch_dtype", "dtype") or text.get("torch_dtype", "dtype")
    plain = Fraction(_FLOAT_BITS.get(str(told).removeprefix("torch."), 16))
    packing = root.inner("quantization_config") or text.inner("quantization_config")
    if packing is None:
        return Bits(plain, plain, name=f"{plain} bits")
    method = packing.text("quant_method").casefold()
    bits = _packed(packing, method)
    if bits is None:
        return None
    return Bits(plain, bits, experts_only=method == "mxfp4", name=method)


def _packed(packing: Section, method: str) -> Fraction | None:
    if method in _METHOD_BITS:
        return _METHOD_BITS[method]
    if method == "bitsandbytes":
        return Fraction(8) if packing.flag("load_in_8bit") else _grouped(4, 64)
    if method in ("awq", "gptq", "auto-round", "autoround", "gptq_marlin", "hqq"):
        return _grouped(
            packing.count("bits", "w_bit", most=32) or 4, packing.count("group_size", "q_group_size_or_none")
        )
    if method == "modelopt":
        return {"FP8": Fraction(8), "NVFP4": Fraction(9, 2)}.get(packing.text("quant_algo"))
    if method == "compressed-tensors":
        return _compressed(packing)
    return None


def _grouped(bits: int, group: int | None) -> Fraction:
    """A scale and a zero point for every group; a group of nothing is a whole column, whose scale weighs nothing."""
    return bits + Fraction(_SCALE_BITS + bits, group or _USUAL_GROUP)


def _compressed(packing: Section) -> Fraction | None:
    groups = packing.inner("config_groups")
    first = groups.inner("group_0") if groups else None
    weights = first.inner("weights") if first else None
    bits = weights.count("num_bits", most=32) if weights else None
    if weights is None or bits is None:
        return None
    return Fraction(bits) if bits >= 8 else _grouped(bits, weights.count("group_size"))
