"""Defaults of Kubernetes are filled in, and nothing else."""

from bayplan.control.resources.defaults import add_defaults
from bayplan.control.resources.registry import REGISTRY


def defaulted(name, document):
    return add_defaults(REGISTRY.resolve(name), document)


def container(**fields):
    pod = defaulted("pods", {"spec": {"containers": [{"name": "c", **fields}]}})
    return pod["spec"]["containers"][0]


def test_a_pod_says_what_it_means():
    spec = defaulted("pods", {"spec": {"containers": [{"name": "c", "image": "i"}]}})["spec"]

    assert spec["restartPolicy"] == "Always"
    assert spec["terminationGracePeriodSeconds"] == 30
    assert "schedulerName" not in spec
    assert "affinity" not in spec


def test_given_values_stay():
    spec = defaulted("pods", {"spec": {"restartPolicy": "Never", "schedulerName": "bayplan", "containers": []}})["spec"]

    assert (spec["restartPolicy"], spec["schedulerName"]) == ("Never", "bayplan")


def test_limits_are_requests():
    found = container(resources={"limits": {"nvidia.com/gpu": 2, "cpu": 4}, "requests": {"cpu": 1}})

    assert found["resources"]["requests"] == {"nvidia.com/gpu": 2, "cpu": 1}


def test_images_that_move_are_always_fetched():
    policies = {
        image: container(image=image)["imagePullPolicy"] for image in ("a", "a:latest", "r:5/a:1", "a@sha256:0")
    }

    assert list(policies.values()) == ["Always", "Always", "IfNotPresent", "IfNotPresent"]


def test_parts_that_exist_are_completed():
    found = container(ports=[{"containerPort": 80}], livenessProbe={"httpGet": {"port": 80}})

    assert found["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert found["livenessProbe"]["periodSeconds"] == 10
    assert found["livenessProbe"]["httpGet"]["scheme"] == "HTTP"


def test_a_deployment_has_a_replica_and_a_strategy():
    found = defaulted("deploy", {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i:1"}]}}}})

    assert found["spec"]["replicas"] == 1
    assert found["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert found["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent"


def test_defaults_are_not_shared_between_objects():
    one, other = defaulted("deploy", {"spec": {}}), defaulted("deploy", {"spec": {}})
    one["spec"]["strategy"]["type"] = "Recreate"

    assert other["spec"]["strategy"]["type"] == "RollingUpdate"


def test_a_job_with_parallelism_alone_has_no_completions():
    assert defaulted("jobs", {"spec": {}})["spec"]["completions"] == 1
    assert "completions" not in defaulted("jobs", {"spec": {"parallelism": 3}})["spec"]


def test_services_and_namespaces():
    assert defaulted("svc", {"spec": {"ports": [{"port": 80}]}})["spec"]["ports"][0]["targetPort"] == 80
    assert defaulted("ns", {"metadata": {"name": "n"}})["status"] == {"phase": "Active"}


def test_dialects_are_left_alone():
    pool = {"metadata": {"name": "p"}, "spec": {"minReplicas": 1}}

    assert defaulted("ap", dict(pool)) == pool


def test_documents_of_a_wrong_shape_do_not_fail():
    for spec in ([], "x", {"containers": "c"}, {"containers": [1]}, {"template": 1, "strategy": 1, "ports": 1}):
        for name in ("pods", "deploy", "jobs", "sts", "svc"):
            defaulted(name, {"spec": spec})


def test_a_condition_of_a_failure_policy_means_that_it_holds():
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    job = defaulted("jobs", {"spec": {"podFailurePolicy": {"rules": [rule]}, "template": {}}})

    assert job["spec"]["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["status"] == "True"
