"""Machine types of the clouds and the GPU model in each, as data: add a line to teach another one.

The number of cards is never read from the type: the Node states what it offers.
"""

from __future__ import annotations

import re
from functools import lru_cache

LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
"""The label with the type, and its name on older clusters."""

AWS = {
    "p2": "K80",
    "p3": "V100-SXM2-16GB",
    "p3dn": "V100-SXM2-32GB",
    "p4d": "A100-SXM4-40GB",
    "p4de": "A100-SXM4-80GB",
    "p5": "H100-SXM5-80GB",
    "p5e": "H200",
    "p5en": "H200",
    "p6-b200": "B200",
    "g4dn": "T4",
    "g5": "A10G",
    "g6": "L4",
    "gr6": "L4",
    "g6e": "L40S",
}
"""By the part before the dot, as in `p5.48xlarge`."""

GOOGLE = {
    "a2-highgpu": "A100-SXM4-40GB",
    "a2-megagpu": "A100-SXM4-40GB",
    "a2-ultragpu": "A100-SXM4-80GB",
    "a3-edgegpu": "H100-SXM5-80GB",
    "a3-highgpu": "H100-SXM5-80GB",
    "a3-megagpu": "H100-SXM5-80GB",
    "a3-ultragpu": "H200",
    "a4-highgpu": "B200",
    "g2-standard": "L4",
}
"""By the beginning of the type, as in `a3-highgpu-8g`."""

AZURE = {
    r"Standard_NC\d+as_T4_v3": "T4",
    r"Standard_NC\d+r?s_v3": "V100-PCIE-16GB",
    r"Standard_ND40rs_v2": "V100-SXM2-32GB",
    r"Standard_NC\d+ads_A100_v4": "A100-PCIE-80GB",
    r"Standard_ND96asr_v4": "A100-SXM4-40GB",
    r"Standard_ND96amsr_A100_v4": "A100-SXM4-80GB",
    r"Standard_NC(40ads|80adis)_H100_v5": "H100-NVL",
    r"Standard_ND96isr_H100_v5": "H100-SXM5-80GB",
    r"Standard_ND96isr_H200_v5": "H200",
    r"Standard_ND96isr_MI300X_v5": "MI300X",
}
"""Patterns of whole types; machines with a part of a card, such as NVadsA10, are not among them."""

ORACLE = {
    "GPU2": "P100-16GB",
    "GPU3": "V100-SXM2-16GB",
    "GPU4": "A100-SXM4-40GB",
    "A10": "A10",
    "A100-v2": "A100-SXM4-80GB",
    "B4": "A100-SXM4-40GB",
    "L40S": "L40S",
    "H100": "H100-SXM5-80GB",
    "H200": "H200",
    "B200": "B200",
    "MI300X": "MI300X",
}
"""By the part between `BM.GPU.` or `VM.GPU.` and the number of cards: `BM.GPU.H100.8`, in older shapes `VM.GPU3.2`."""

_ORACLE = re.compile(r"(?:BM|VM)\.(?:GPU\.)?([A-Za-z0-9-]+)\.\d+")
_AZURE = tuple((re.compile(pattern, re.IGNORECASE), model) for pattern, model in AZURE.items())


@lru_cache(maxsize=4096)
def model_in(machine_type: str) -> str | None:
    """The GPU model in machines of that type; None for types without GPUs, and for unknown ones."""
    if shape := _ORACLE.fullmatch(machine_type):
        return ORACLE.get(shape[1])
    family, dot, _ = machine_type.partition(".")
    if dot:
        return AWS.get(family)
    for beginning, model in GOOGLE.items():
        if machine_type.startswith(f"{beginning}-"):
            return model
    return next((model for pattern, model in _AZURE if pattern.fullmatch(machine_type)), None)
