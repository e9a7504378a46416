"""AMD's labels, newer and older."""

import pytest

from unit.manifests.inventory.builders import node, read_one

LABELS = {
    "newer":         ({"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM", "amd.com/gpu.vram": "192G"},
                      ("AMD_Instinct_MI300X_OAM", 196608)),
    "older":         ({"beta.amd.com/gpu.vram.64G": "1", "beta.amd.com/gpu.family.AI": "1"}, (None, 65536)),
    "both":          ({"beta.amd.com/gpu.vram.64G": "1", "amd.com/gpu.vram": "128G"}, (None, 131072)),
    "no size":       ({"amd.com/gpu.product-name": "AMD_Instinct_MI210"}, ("AMD_Instinct_MI210", 65536)),
    "unread":        ({"amd.com/gpu.vram": "much"}, (None, None)),
    "nothing":       ({}, (None, None)),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "expected"), LABELS.values(), ids=LABELS)
def test_model_and_memory(labels, expected):
    (gpu,) = read_one(node(labels=labels, **{"amd.com/gpu": "1"})).gpus

    assert (gpu.runtime, gpu.model, gpu.memory_mib) == ("rocm", *expected)
