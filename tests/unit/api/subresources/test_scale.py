"""Scale: replicas of an object, read and written by themselves."""

from served_api import run
from unit.api.objects import deployment, post

MERGE = "application/merge-patch+json"
SCALE = "/apis/apps/v1/namespaces/default/deployments/d/scale"


def test_scale_is_read_and_written():
    async def talk(api):
        await post(api, SCALE.removesuffix("/d/scale"), deployment())
        read = (await api.ask("GET", SCALE)).json
        put = await api.ask("PUT", SCALE, {**read, "spec": {"replicas": 5}})
        stale = await api.ask("PUT", SCALE, {**read, "spec": {"replicas": 6}})
        patched = await api.ask("PATCH", SCALE, {"spec": {"replicas": 4}}, media=MERGE)
        bad = await api.ask("PATCH", SCALE, {"spec": {"replicas": -1}}, media=MERGE)
        whole = await api.ask("GET", SCALE.removesuffix("/scale"))
        return read, put, stale, patched, bad, whole

    read, put, stale, patched, bad, whole = run(talk)
    assert (read["kind"], read["spec"], read["status"]["selector"]) == ("Scale", {"replicas": 2}, "app=d")
    assert put.json["spec"] == {"replicas": 5}
    assert stale.status == 409
    assert patched.json["spec"] == {"replicas": 4}
    assert bad.status == 422
    assert whole.json["spec"]["replicas"] == 4
