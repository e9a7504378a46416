from bayplan.cli.objects.redaction import REDACTED, redacted, restored

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "x", "b": "y"}}
COPY = "kubectl.kubernetes.io/last-applied-configuration"


def test_the_data_of_secrets_is_replaced_also_in_lists():
    hidden = redacted({"kind": "List", "items": [SECRET, {"kind": "ConfigMap", "data": {"a": "x"}}]})

    assert hidden["items"][0]["data"] == {"a": REDACTED, "b": REDACTED}
    assert hidden["items"][1]["data"] == {"a": "x"}


def test_the_copy_that_kubectl_keeps_is_replaced():
    hidden = redacted(SECRET | {"metadata": {"name": "s", "annotations": {COPY: "{data: x}", "other": "z"}}})

    assert hidden["metadata"]["annotations"] == {COPY: REDACTED, "other": "z"}


def test_an_edited_secret_keeps_what_was_not_touched():
    edited = redacted(SECRET)
    edited["data"] = {"a": REDACTED, "c": "new"}

    assert restored(edited, SECRET)["data"] == {"a": "x", "c": "new"}
