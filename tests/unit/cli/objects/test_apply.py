from bayplan.cli.objects.apply import outcome
from unit.cli.serving import HIDDEN, SECRET, pod


def test_objects_are_created_then_unchanged_then_configured(command):
    file = command.file(pod())

    assert command("apply", "-f", file).out == "pod/chat created\n"
    assert command("apply", "-f", file).out == "pod/chat unchanged\n"
    changed = command.file(pod().replace("app: chat", "app: talk"))
    assert command("apply", changed).out == "pod/chat configured\n"


def test_a_field_that_a_manifest_no_longer_has_is_a_change(command):
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1', b: '2'}\n"

    assert command("apply", "-f", command.file(text)).out == "configmap/c created\n"
    assert command("apply", "-f", command.file(text.replace(", b: '2'", ""))).out == "configmap/c configured\n"


def test_what_loops_write_meanwhile_is_no_change():
    manifest = {"metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"containers": [{"name": "main"}]}}
    before = manifest | {"status": {"phase": "Pending"}}
    spec = manifest["spec"] | {"nodeName": "w1"}
    after = {"metadata": manifest["metadata"] | {"annotations": {"record": "7"}}, "spec": spec, "status": {}}

    assert outcome(manifest, before, after) == "unchanged"
    assert outcome(manifest, before, after | {"metadata": {"name": "a", "labels": {"x": "z"}}}) == "configured"


def test_one_refusal_holds_back_no_other_object_and_every_problem_is_told(command):
    wrong = "apiVersion: v1\nkind: Pod\nmetadata: {name: B_d, labels: {a b: c, d e: f}}\nspec: {containers: []}\n"
    unknown = "apiVersion: v1\nkind: Pood\nmetadata: {name: x}\n"
    file = command.file(f"{wrong}---\n{unknown}---\n{pod('good')}")
    broken = command.file("kind: [", "broken.yaml")

    said = command("apply", "-f", file, "-f", broken, "-f", command.file(pod("other"), "other.yaml"))

    assert said.status == 1
    assert said.out == "pod/good created\npod/other created\n"
    lines = said.err.splitlines()
    assert all(line.startswith("error: ") for line in lines)
    assert any("there is no kind 'Pood'; did you mean 'Pod'?" in line for line in lines)
    assert any("broken.yaml" in line for line in lines)
    assert any("metadata.labels" in line for line in lines)
    assert len([line for line in lines if "pod/B_d" in line]) >= 2


def test_a_folder_is_applied_with_namespaces_first(command):
    command.file(pod("inside", "team"), "a.yaml")
    command.file("apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n", "b.yaml")

    assert command("apply", "-f", str(command.folder)).out == "namespace/team created\npod/inside created\n"


def test_lists_are_taken_apart(command):
    text = "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n"

    assert command("apply", "-f", command.file(text)).out == "configmap/a created\nconfigmap/b created\n"


def test_a_dry_run_stores_nothing(command):
    file = command.file(pod())

    assert command("apply", "-f", file, "--dry-run").out == "pod/chat created (dry run)\n"
    assert command("apply", "-f", file, "--dry-run=server").out == "pod/chat created (dry run)\n"
    assert command("get", "pod", "chat").status == 1


def test_unknown_fields_are_told_and_refused_when_strict(command):
    file = command.file(pod().replace("schedulerName", "schedularName"))

    said = command("apply", "-f", file)
    assert (said.status, said.out) == (0, "pod/chat created\n")
    assert "warning: " in said.err
    assert "schedularName" in said.err
    strict = command("apply", "-f", file, "--strict")
    assert strict.status == 1
    assert "schedularName" in strict.err


def test_fields_of_others_are_taken_over_only_when_forced(command):
    command.server.ask(
        "POST",
        "/api/v1/namespaces/default/configmaps?fieldManager=other",
        {"metadata": {"name": "c"}, "data": {"a": "1"}},
    )
    file = command.file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '2'}\n")

    said = command("apply", "-f", file)
    assert said.status == 1
    assert ".data.a" in said.err
    assert '"other"' in said.err
    assert "--force-conflicts" in said.err
    assert command("apply", "-f", file, "--force-conflicts", "--server-side").out == "configmap/c configured\n"


def test_secrets_are_never_printed(command):
    for form in ("yaml", "json", "name"):
        said = command("apply", "-f", command.file(SECRET), "-o", form)
        assert said.status == 0
        assert HIDDEN not in said.out + said.err
    wrong = command("apply", "-f", command.file(SECRET.replace(HIDDEN, "top!secret")))
    assert wrong.status == 1
    assert "top!secret" not in wrong.err


def test_namespaces_that_differ_are_an_error(command):
    said = command("apply", "-n", "team", "-f", command.file(pod()))

    assert said.status == 1
    assert "the object says 'default' and -n says 'team'" in said.err


def test_a_cluster_file_needs_no_name(command):
    file = command.file("apiVersion: bayplan.io/v1alpha1\nkind: Cluster\nworkers: [{name: w, gpus: {count: 2}}]\n")

    assert command("apply", "-f", file).out == "cluster.bayplan.io/default created\n"
    assert command("gpus", "-o", "json").json["total"]["cards"] == 2
    assert command("delete", "-f", file).status == 0


def test_no_file_is_a_usage_error(command):
    assert "bayplan apply: FILE is missing; name it: bayplan apply -f FILE" in command("apply").err
