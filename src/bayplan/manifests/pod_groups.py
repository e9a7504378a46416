"""The marks by which Pods say that they belong to a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP_LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")
GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name", "pod-group-name")
"""Volcano's two spellings, and that of KAI."""


def group_of(labels: Mapping[str, str], annotations: Mapping[str, str]) -> str:
    """The group of a Pod with these labels and annotations; empty where it has none."""
    marks = (*((labels, key) for key in GROUP_LABELS), *((annotations, key) for key in GROUP_ANNOTATIONS))
    return next((found for texts, key in marks if (found := texts.get(key))), "")
