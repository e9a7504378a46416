"""How many bits a weight takes, as config.json or hf_quant_config.json states it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.sizing.module_names import ModuleNames
from bayplan.sizing.section import Section

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config

MXFP4, NVFP4 = Fraction(17, 4), Fraction(9, 2)
_FLOAT_BITS = {
    "float32": 32, "float": 32, "float16": 16, "half": 16, "bfloat16": 16,
    "float8_e4m3fn": 8, "float8_e5m2": 8, "int8": 8,
}  # fmt: skip
_SCALE_BITS = 16  # scales of groups are 16-bit floats
_USUAL_GROUP = 128  # the group size of AWQ and GPTQ where the config states none
_MOST_ENTRIES = 2_000_000  # a list may name every module of every layer and expert
_METHODS = {"fp8": Fraction(8), "fbgemm_fp8": Fraction(8), "mxfp4": MXFP4, "nvfp4": NVFP4, "modelopt_fp4": NVFP4}
_GROUPED = frozenset(
    {"awq", "awq_marlin", "gptq", "gptq_marlin", "auto-round", "autoround", "auto_round", "intel/auto-round", "hqq"}
)
_ALGORITHMS = {
    "FP8": Fraction(8), "FP8_PER_CHANNEL_PER_TOKEN": Fraction(8), "FP8_PB_WO": Fraction(8), "FP8_PB_REAL": Fraction(8),
    "W8A8_SQ_PER_CHANNEL": Fraction(8), "INT8_SQ": Fraction(8), "NVFP4": NVFP4, "NVFP4_AWQ": NVFP4,
    "W4A8_NVFP4_FP8": NVFP4, "MXFP4": MXFP4, "MXFP8": Fraction(33, 4),
}  # fmt: skip
_GROUPED_ALGORITHMS = frozenset({"W4A16_AWQ", "W4A8_AWQ", "INT4_AWQ", "W4A16"})
_SKIPPING = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules", "llm_int8_skip_modules")
_FORMATS = {"nvfp4": NVFP4, "mxfp4": MXFP4}


@dataclass(frozen=True, slots=True)
class Packing:
    """Bits of an unquantized weight as stored, and of a matrix inside a layer.

    `experts` are the bits of experts where they differ, `skipped` the modules that stay plain. With `experts_only`
    every other matrix stays plain. `pads` says that vLLM pads the experts. `block` is the side of a block of FP8.
    """

    plain: Fraction
    matrix: Fraction
    name: str
    groups: tuple[tuple[ModuleNames | None, Fraction], ...] = ()
    experts: Fraction | None = None
    experts_only: bool = False
    pads: bool = False
    block: int = 0
    skipped: ModuleNames = field(default_factory=lambda: ModuleNames(()))

    @property
    def is_plain(self) -> bool:
        return not self.groups and self.experts is None

    def bits(self, module: str, *, expert: bool) -> Fraction | None:
        """Bits of this module; None where it is not quantized."""
        if self.skipped.hold(module):
            return None
        if expert and self.experts is not None:
            return self.experts
        if self.experts_only and not expert:
            return None
        return next((bits for targets, bits in self.groups if targets is None or targets.hold(module)), None)


def read_packing(config: Config, quant_config: object = None) -> Packing | None:
    """None where the weights are packed in a way that is not understood; 16 bits where nothing is said."""
    root, text = config.root, config.text
    told = root.get("torch_dtype", "dtype") or text.get("torch_dtype", "dtype")
    plain = Fraction(_FLOAT_BITS.get(str(told).removeprefix("torch."), 16))
    experts = MXFP4 if "fp4" in (text.text("expert_dtype"), root.text("expert_dtype")) else None
    part = _part(root, text, quant_config)
    if part is None:
        return Packing(plain, plain, f"{plain} bits", experts=experts)
    method = part.text("quant_method").casefold()
    name = method if method and method != "modelopt" else part.text("quant_algo").upper()
    groups = _groups(part, method, name)
    skipped = ModuleNames(_skipped(part))
    if groups is None or skipped.too_many:
        return None
    is_mxfp4 = name.casefold() == "mxfp4"
    return Packing(
        plain=plain,
        matrix=groups[0][1],
        name=name,
        groups=groups,
        experts=experts,
        experts_only=is_mxfp4 and config.kind == "gpt_oss",
        pads=is_mxfp4,
        block=_block(part),
        skipped=skipped,
    )


def _part(root: Section, text: Section, quant_config: object) -> Section | None:
    for holder, name in (
        (root, "quantization_config"),
        (text, "quantization_config"),
        (root, "compression_config"),
        (text, "compression_config"),
    ):
        if (part := holder.inner(name)) is not None:
            return part
    return None if quant_config is None else Section(quant_config, "hf_quant_config.json").inner("quantization")


def _groups(part: Section, method: str, name: str) -> tuple[tuple[ModuleNames | None, Fraction], ...] | None:
    """Bits of matrices, by the modules that they are for; None where the method is not understood."""
    if method == "compressed-tensors" or (not name and part.inner("config_groups") is not None):
        return _compressed(part)
    bits = _METHODS.get(name.casefold()) or _ALGORITHMS.get(name)
    if name == "bitsandbytes":
        bits = Fraction(8) if part.flag("load_in_8bit") else _grouped(4, 64)
    elif name in _GROUPED or name in _GROUPED_ALGORITHMS:
        inside = part.inner("quant_config")
        params = (inside.inner("weight_quant_params") if inside is not None else None) or part
        bits = _grouped(_whole(params, "bits", "w_bit", "nbits") or 4, _whole(params, "group_size", "q_group_size"))
    return None if bits is None else ((None, bits),)


def _grouped(bits: int, group: int | None) -> Fraction:
    """Bits per weight with a scale and a zero point for every group."""
    return bits + Fraction(_SCALE_BITS + bits, group or _USUAL_GROUP)


def _compressed(part: Section) -> tuple[tuple[ModuleNames | None, Fraction], ...] | None:
    found: list[tuple[ModuleNames | None, Fraction]] = []
    groups = part.inner("config_groups")
    for name, _ in groups.items() if groups is not None else ():
        group = groups.inner(name) if groups is not None else None
        weights = group.inner("weights") if group is not None else None
        bits = _whole(weights, "num_bits") if weights is not None else None
        if group is None or weights is None or bits is None:
            return None
        size = _compressed_bits(weights, bits, group.text("format") or part.text("format"))
        targets = group.words("targets", most_entries=_MOST_ENTRIES)
        names = None if not targets or "Linear" in targets else ModuleNames(targets)
        if size is None or (names is not None and names.too_many):
            return None
        found.append((names, size))
    return tuple(found) or None


def _compressed_bits(weights: Section, bits: int, form: str) -> Fraction | None:
    if bits >= 8:
        return Fraction(bits)
    group = _whole(weights, "group_size")
    if weights.text("type") != "float":
        return _grouped(bits, group)
    named = next((size for word, size in _FORMATS.items() if word in form), None)
    return named or {16: NVFP4, 32: MXFP4}.get(group or 0)


def _skipped(part: Section) -> list[str]:
    listed = [each for name in _SKIPPING for each in part.words(name, most_entries=_MOST_ENTRIES) or ()]
    dynamic = part.inner("dynamic")
    return listed + [f"re:{key[2:]}" for key, _ in (dynamic.items() if dynamic is not None else ()) if key[:2] == "-:"]


def _block(part: Section) -> int:
    sides = part.get("weight_block_size")
    first = sides[0] if isinstance(sides, list) and sides else 0
    return first if type(first) is int and first > 1 else 0


def _whole(part: Section, *names: str) -> int | None:
    """A whole number above 0; other numbers, such as -1, mean that there are no groups."""
    found = part.get(*names)
    return found if type(found) is int and 0 < found <= 2**20 else None
