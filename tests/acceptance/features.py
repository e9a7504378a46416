"""The capabilities that case files may be about; a case about anything else is no case of this format yet."""

FEATURES = frozenset(
    {
        *(f"defect-D{number}" for number in range(1, 18)),
        "annotations", "anti-affinity", "assumed-links", "card-size", "context", "engine-args", "engine-flags",
        "extended-resources", "free-sets", "gang-preemption", "gang-removals", "gang-within", "hami", "headroom",
        "idle-cards", "kai-sharing", "kv-rest", "mig-single", "mixed-documents", "namespaces", "near", "node-models",
        "running-replicas", "shared-cards", "shared-cost", "sizing", "spanning-domains", "spot-share", "spread-over",
        "unknown-need", "workload-kinds",
        "backend-support", "bandwidth", "binpack", "cache-weight", "carbon",
        "cost-limit", "cpu", "data-locality", "estimate", "fast-scheduling", "five-factors", "fraction", "gang",
        "gang-roles", "gpu-models", "gpustack-model", "label-match", "labels", "load-packing", "load-risk", "locality",
        "locality-weight", "manual-gpus", "many-workers", "mig", "mixed-cards", "node-filters", "numa-filter",
        "numa-score", "observed-use", "one-gpu", "one-worker", "overcommit", "partial-offload", "podgroup",
        "preemption", "ready", "region", "replicas", "scale-down", "shared-compute", "shared-gpu", "spot", "spread",
        "admission", "algebra", "assumed-load", "attributes", "bad-input", "config-defaults", "config-errors",
        "config-valid", "configurations", "context-length", "data-parallel", "disaggregation", "errors", "eviction",
        "fairness", "flow-control", "header-profile", "in-flight", "label-filters", "latency-scorer", "load-filters",
        "load-scorers", "lora", "media", "mixed-load", "no-hit-lru", "objectives", "own-policy", "parsers", "pickers",
        "precise-prefix", "prefix-affinity", "prefix-index", "prefix-scorer", "rewrite", "role-filters", "saturation",
        "scraping", "session", "shadow", "slo-tier", "staleness", "subset", "topology", "usage-limits",
        "capabilities", "dedicated", "drain", "explainer", "memory", "mixed", "model-scaling", "partial", "preloaded",
        "removals", "scale-up", "sequence", "server-documents", "server-scaling", "server-status", "several", "sharing",
        "status", "sticky", "verdict", "versions",
        "tp-shape", "unhealthy-gpu", "utilization", "validation", "vgpu-policy", "waiting",
    }
)  # fmt: skip
