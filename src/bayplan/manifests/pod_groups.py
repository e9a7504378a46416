"""The marks by which Pods say that they belong to a group."""

from __future__ import annotations

GROUP_LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")
GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name", "pod-group-name")
"""Volcano's two spellings, and that of KAI."""
