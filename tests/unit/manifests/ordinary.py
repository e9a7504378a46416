"""Documents as people write them, in numbers that only programs write."""

from __future__ import annotations

_WORKLOAD = """\
---
apiVersion: bayplan.io/v1alpha1
kind: Workload
metadata:
  name: chat-{number:05}
  namespace: team-{team}
  labels:
    app: chat
    tier: gold
spec:
  replicas: 2
  priority: 100
  model:
    weights: 36Gi
    kvCache: 6Gi
    overhead: 2Gi
  backend:
    name: vllm
    args:
    - --max-num-seqs=16
    - --enforce-eager
  gpus:
    count: 2
    models: [A100, H100]
    memory: 40Gi
"""


def block_workload(number: int) -> str:
    """One Workload of 25 lines in block style."""
    return _WORKLOAD.format(number=number, team=number % 7)
