"""A namespace is nobody else's business, and what was asked for and not understood never fits."""

from hypothesis import given, settings, strategies as st

import bayplan

SPACES = ("default", "team-a", "team-b")
NAMES = ("chat", "db")
WORKER = {"name": "w", "cpu": 8, "gpus": {"count": 4, "model": "L4", "memory": "24Gi"}, "resources": {"rdma/ib": 2}}
CARDS = ("nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.5gb", "habana.ai/gaudi", "alnair/vgpu-memory")

bookings = st.lists(
    st.fixed_dictionaries(
        {
            "workload": st.sampled_from(NAMES), "namespace": st.sampled_from(SPACES), "replica": st.integers(0, 2),
            "worker": st.just("w"), "priority": st.integers(0, 2),
        },
        optional={"gang": st.just("g")},
    ), max_size=4,
).map(lambda held: [{**each, "gpus": [{"index": number}]} for number, each in enumerate(held)])  # fmt: skip
budgets = st.lists(
    st.fixed_dictionaries({"workload": st.sampled_from(NAMES), "namespace": st.sampled_from(SPACES),
                           "minAvailable": st.integers(0, 2)}),
    max_size=2, unique_by=lambda each: (each["workload"], each["namespace"]),
)  # fmt: skip
workloads = st.builds(
    lambda name, space, replicas, count, avoids, preempts: {
        "metadata": {"name": name, "namespace": space},
        "spec": {
            "replicas": replicas, "gpus": {"count": count}, "antiAffinity": avoids, "priority": 1,
            "preemption": "lower-priority" if preempts else "never",
        },
    },
    st.sampled_from(NAMES), st.sampled_from(SPACES), st.integers(0, 3), st.integers(1, 2),
    st.lists(st.sampled_from(("chat", "db", "g")), max_size=1), st.booleans(),
)  # fmt: skip


def renamed(space, each):
    """The same in a namespace of another name, if it is that one."""
    return "renamed" if each == space else each


@settings(max_examples=60, deadline=None)
@given(bookings, budgets, st.lists(workloads, min_size=1, max_size=3), st.sampled_from(SPACES))
def test_renaming_a_namespace_changes_no_verdict(held, kept, asked, space):
    def answers(rename):
        cluster = {
            "workers": [WORKER],
            "bookings": [{**each, "namespace": rename(each["namespace"])} for each in held],
            "budgets": [{**each, "namespace": rename(each["namespace"])} for each in kept],
        }
        jobs = [
            {**each, "metadata": {**each["metadata"], "namespace": rename(each["metadata"]["namespace"])}}
            for each in asked
        ]
        plan = bayplan.plan(jobs, cluster)
        items = plan["items"] if plan["kind"] == "PlanList" else [plan]
        return [(item["verdict"], item["placed"], len(item["removals"]), len(item["victims"])) for item in items]

    assert answers(lambda each: each) == answers(lambda each: renamed(space, each))


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERM = {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"app": "p"}}}
OTHERS = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "other"}}}
HARD = (
    {"affinity": {"podAffinity": {REQUIRED: [TERM]}}},
    {"affinity": {"podAntiAffinity": {REQUIRED: [TERM]}}},
    {"affinity": {"podAntiAffinity": {REQUIRED: [OTHERS]}}},
    {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{}]}}}},
    {"topologySpreadConstraints": [{**TERM, "maxSkew": 3}]},
    {"topologySpreadConstraints": [{**OTHERS, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]},
)
POD = {"metadata": {"labels": {"app": "p"}}, "spec": {"containers": [{"name": "c"}]}}
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
KINDS = (
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {"leaderWorkerTemplate": {"size": 2, "workerTemplate": POD}},
     {"leaderworkerset.sigs.k8s.io/exclusive-topology": "rack"}),
    ("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [{"name": "a", "template": {"spec": {"template": POD}}}]},
     {EXCLUSIVE: "rack"}),
    ("serving.kserve.io/v1beta1", "InferenceService",
     {"predictor": {"containers": [{"name": "c"}], "workerSpec": {"size": 2}}}, {}),
    ("serving.kserve.io/v1beta1", "InferenceService", {"predictor": {"model": {"storageUri": "s3://m"}}}, {}),
    ("batch.volcano.sh/v1alpha1", "Job",
     {"tasks": [{"replicas": 1, "template": POD}], "networkTopology": {"mode": "hard", "highestTierAllowed": 1}}, {}),
    ("batch.volcano.sh/v1alpha1", "Job",
     {"tasks": [{"replicas": 1, "template": POD, "topologyPolicy": "restricted"}]}, {}),
)  # fmt: skip
ANNOTATIONS = ("kueue.x-k8s.io/podset-required-topology",)


@st.composite
def odd_controllers(draw):
    """A controller of several Pods with a hard rule that no plan follows."""
    spec = {"containers": [{"name": "c"}], **draw(st.sampled_from((*HARD, {})))}
    metadata = {"labels": {"app": "p"}}
    if len(spec) == 1:
        metadata["annotations"] = {draw(st.sampled_from(ANNOTATIONS)): "rack"}
    template, pods = {"metadata": metadata, "spec": spec}, draw(st.integers(2, 4))
    group, kind, inner = draw(
        st.sampled_from(
            (
                ("apps/v1", "Deployment", {"replicas": pods, "template": template}),
                ("apps/v1", "StatefulSet", {"replicas": pods, "template": template}),
                ("batch/v1", "Job", {"parallelism": pods, "template": template}),
                ("batch.volcano.sh/v1alpha1", "Job", {"tasks": [{"replicas": pods, "template": template}]}),
                ("kubeflow.org/v1", "PyTorchJob",
                 {"pytorchReplicaSpecs": {"Worker": {"replicas": pods, "template": template}}}),
                ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                 {"leaderWorkerTemplate": {"size": pods, "workerTemplate": template}}),
            )
        )
    )  # fmt: skip
    return {"apiVersion": group, "kind": kind, "metadata": {"name": "p"}, "spec": inner}


@st.composite
def odd_kinds(draw):
    """A kind of Kubernetes with a demand of its own that no plan follows."""
    version, kind, spec, annotations = draw(st.sampled_from(KINDS))
    metadata = {"name": draw(st.sampled_from(("p", "q"))), "annotations": annotations}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


@st.composite
def odd_pods(draw):
    """A Pod with a claim, with two kinds of cards, or with a resource that no worker here offers."""
    limits = draw(st.dictionaries(st.sampled_from(("cpu", "rdma/ib")), st.integers(0, 2), max_size=2))
    spec = {"containers": [{"name": "c", "resources": {"limits": limits}}]}
    kind = draw(st.sampled_from(("claim", "kinds", "name")))
    if kind == "claim":
        spec["resourceClaims"] = [{"name": "g", "resourceClaimName": "x"}]
    elif kind == "kinds":
        limits |= dict.fromkeys(draw(st.lists(st.sampled_from(CARDS), min_size=2, max_size=3, unique=True)), 1)
    else:
        limits[draw(st.from_regex(r"[a-z]{1,5}\.odd/[a-z]{1,5}", fullmatch=True))] = draw(st.integers(1, 9))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


@settings(max_examples=120, deadline=None)
@given(st.one_of(odd_pods(), odd_controllers(), odd_kinds()))
def test_what_is_not_understood_never_fits(asked):
    plan = bayplan.plan(asked, {"workers": [WORKER]})

    assert (plan["verdict"], plan["placed"]) == ("infeasible", 0)
    assert {each["code"] for each in plan["rejections"]} & {"unknown-need", "resource-short"}


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(("rdma/ib", "odd")), st.integers(0, 3), max_size=2), st.integers(1, 4))
def test_no_more_is_placed_than_a_worker_offers(amounts, replicas):
    job = {"metadata": {"name": "j"}, "spec": {"replicas": replicas, "cpu": 1, "resources": amounts}}
    plan = bayplan.plan(job, {"workers": [WORKER]})

    offered = {"rdma/ib": 2, "odd": 0}
    most = min((offered[name] // amount for name, amount in amounts.items() if amount), default=replicas)
    assert plan["placed"] == min(replicas, most)
