"""Manifests that the tests apply: builders say only what matters."""


def idle_pod(name: str) -> str:
    """A Pod that no loop of Bayplan touches."""
    return pod(name).replace("schedulerName: bayplan", "schedulerName: another")


def pod(name: str = "a", image: str = "vllm/vllm-openai:v0.6.0", labels: str = "{app: chat}", more: str = "") -> str:
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {labels}}}
spec:
  schedulerName: bayplan
  containers:
  - name: main
    image: {image}
    resources: {{limits: {{nvidia.com/gpu: "1"}}}}
{more}
"""


def deployment(name: str = "web", replicas: int = 2, image: str = "nginx:1") -> str:
    return f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: main, image: "{image}"}}]}}
"""


def pool(name: str = "chat", replicas: int = 2) -> str:
    return f"""
apiVersion: neuronetes.io/v1alpha1
kind: AgentPool
metadata: {{name: {name}}}
spec:
  agentClassRef: {{name: helper}}
  replicas: {replicas}
  minReplicas: 1
  maxReplicas: 5
  gpuRequirements: {{count: 1, memory: 40Gi}}
"""


def node(name: str, gpus: int = 8) -> str:
    return f"""
apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}}}}
status:
  capacity: {{cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "{gpus}"}}
  allocatable: {{cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "{gpus}"}}
  conditions: [{{type: Ready, status: "True", reason: KubeletReady, message: ready}}]
  nodeInfo: {{kubeletVersion: v1.32.0}}
"""


def config(name: str = "settings", value: str = "1", labels: str = "{}") -> str:
    return f"""
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, labels: {labels}}}
data: {{value: "{value}"}}
"""
