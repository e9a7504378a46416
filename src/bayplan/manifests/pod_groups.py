"""The labels and annotations by which Pods name their group."""

from __future__ import annotations

GROUP_LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")
GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name", "pod-group-name")
"""Two spellings of Volcano, and one of KAI."""
GANG_LABEL = "pod-group.scheduling.sigs.k8s.io/name"
GANG_ANNOTATION = "gang.scheduling.koordinator.sh/name"
"""By these, Pods say that they belong together without a PodGroup; beside them stands how many are needed."""
