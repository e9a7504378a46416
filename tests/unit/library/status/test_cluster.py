from bayplan.library.status.cluster import cluster_status
from unit.library.status.observed import NOW, told, with_status

CLUSTER = {"kind": "Cluster", "metadata": {"name": "c", "generation": 1}}


def test_problems_are_told_and_cleared():
    document, seen = CLUSTER, []
    for left, problem in (([], "workers[0].cpu: no number"), (["a"], ""), ([], "")):
        status = cluster_status(document, 2, 1, left, problem, NOW)
        document = with_status(document, status)
        seen.append(told(status, "Applied"))

    assert seen == [("False", "Invalid"), ("False", "NodesLeftAlone"), ("True", "Applied")]
    assert (status["workers"], status["bookings"]) == (2, 1)


def test_of_many_names_a_few_are_told():
    status = cluster_status(CLUSTER, 0, 0, [f"w{number}" for number in range(7)], "", NOW)

    assert status["conditions"][0]["message"].endswith("w0, w1, w2, w3, w4 and 2 more")
