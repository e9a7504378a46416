from unit.cli.serving import pod


def test_a_pod_that_does_not_run_says_what_it_waits_for(command):
    command.applied(pod())

    for name in ("chat", "pod/chat"):
        said = command("logs", name, "--tail", "5")
        assert (said.status, said.out) == (1, "")
        assert said.err.startswith("error: pod/chat: ")
        assert "waiting to start" in said.err


def test_another_container(command):
    command.applied(pod())

    assert "container other is not valid" in command("logs", "chat", "-c", "other").err
