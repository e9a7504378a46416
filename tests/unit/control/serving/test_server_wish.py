from bayplan.control.serving.server_wish import server_wish


def test_variables_about_the_size_of_a_container_are_left_out_of_pods():
    sized = {"resourceFieldRef": {"containerName": "mlserver", "resource": "requests.memory"}}
    env = [{"name": "MEMORY_REQUEST", "valueFrom": sized}, {"name": "PLAIN", "value": "1"}]
    container = {"name": "mlserver", "image": "none", "resources": {"requests": {"memory": "1Gi"}}, "env": env}
    document = {
        "apiVersion": "mlops.seldon.io/v1alpha1",
        "kind": "Server",
        "metadata": {"name": "mlserver", "namespace": "default"},
        "spec": {"serverConfig": "mlserver", "podSpec": {"containers": [container]}},
    }

    wish = server_wish(document, ())

    assert wish.server.memory_mib == 1024
    assert wish.template["spec"]["containers"][0]["env"] == [{"name": "PLAIN", "value": "1"}]
