from unit.library.invariants.cluster_objects import node, pod, verdict


def lease(epoch, name="bayplan"):
    metadata = {"name": name, "namespace": "kube-system", "annotations": {"bayplan.io/epoch": epoch}}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata}


def bound(name, epoch):
    return pod(name, annotations={"bayplan.io/epoch": epoch})


def test_binds_of_the_present_and_of_earlier_leaders():
    assert verdict("I4", node(), lease("3"), bound("a", "3"), bound("b", "1"), pod("c")).ok is True


def test_a_bind_of_an_epoch_that_never_was():
    found = verdict("I4", node(), lease("3"), bound("a", "4"))

    assert found.violations == ("Pod default/a: was bound in epoch 4, the present one is 3",)


def test_an_epoch_that_is_no_number():
    assert verdict("I4", lease("3"), bound("a", "x" * 100)).violations == (
        f"Pod default/a: its epoch {'x' * 40!r} is no number",
    )


def test_without_epochs_nothing_is_said():
    assert verdict("I4", node(), lease("3"), pod("a")).ok is None
    assert verdict("I4", node(), bound("a", "1")).ok is None
    assert verdict("I4", node(), lease("9" * 1_000_000), bound("a", "1")).ok is None
