"""Log: what a Pod wrote, or why there is nothing to read."""

from served_api import run
from unit.api.objects import PODS, pod, post


def test_log_says_what_a_pod_waits_for():
    async def talk(api):
        await post(api, PODS, pod())
        return [await api.ask("GET", f"{PODS}/p/log{query}") for query in ("", "?container=z")]

    answers = run(talk)
    assert [each.status for each in answers] == [400, 400]
    assert "waiting to start: it has no node yet" in answers[0].json["message"]
    assert "container z is not valid" in answers[1].json["message"]
