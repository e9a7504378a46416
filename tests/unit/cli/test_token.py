def test_a_token_is_made_listed_used_and_revoked(command):
    made = command("token", "create", "reader", "--role", "viewer", "-n", "default", "-o", "kubeconfig")
    file = command.file(made.out, "reader.kubeconfig")

    assert made.status == 0
    assert ["reader", "viewer", "default"] in [line.split()[:3] for line in command("token", "list").out.splitlines()]
    assert command("get", "pods", "--server", file).status == 0
    refused = command("get", "secrets", "--server", file)
    assert refused.status == 1
    assert "a viewer's token reads no Secrets" in refused.err
    assert command("token", "revoke", "reader").out == "token reader revoked\n"
    gone = command("get", "pods", "--server", file)
    assert gone.status == 1
    assert "the server does not know the token, or it was revoked" in gone.err


def test_a_token_is_printed_alone(command):
    said = command("token", "create", "other", "--role=editor")

    assert said.out.startswith("bayplan_")
    assert said.out.count("\n") == 1
    assert said.err == "keep it: it is not shown again\n"
    listed = command("token", "list", "-o", "json")
    assert said.out.strip().rpartition("_")[2] not in listed.out
    assert "exists" in command("token", "create", "other").err


def test_an_unknown_token_cannot_be_revoked(command):
    assert "there is no token 'nope'" in command("token", "revoke", "nope").err
