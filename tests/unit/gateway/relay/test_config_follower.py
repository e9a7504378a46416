"""A configuration that changes while a relay runs: the good ones are taken over, the bad ones told."""

import asyncio
import json

from bayplan.gateway.relay.config_follower import ConfigFollower
from bayplan.library.registry import read_routing


def document(**weights):
    return {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": name} for name in weights],
        "schedulingProfiles": [
            {"name": "default", "plugins": [{"pluginRef": name, "weight": each} for name, each in weights.items()]}
        ],
    }


def followed(tmp_path, scenario):
    path = tmp_path / "config.json"
    first = document(**{"queue-scorer": 1})
    path.write_text(json.dumps(first))
    taken = []

    async def take(config):
        taken.append(config)

    async def run():
        follower = ConfigFollower(path, read_routing(first), take, interval_s=0.01)
        follower.start()
        try:
            async with asyncio.timeout(20):
                await scenario(path, follower, taken)
        finally:
            await follower.stop()

    asyncio.run(run())


async def until(holds):
    while not holds():
        await asyncio.sleep(0.01)


def test_a_new_configuration_is_taken_over(tmp_path):
    async def scenario(path, follower, taken):
        path.write_text(json.dumps(document(**{"queue-scorer": 2})))
        await until(lambda: taken)
        (profile,) = taken[0].profiles
        assert [each.weight for each in profile.scorers] == [2.0]

    followed(tmp_path, scenario)


def test_a_wrong_one_changes_nothing(tmp_path):
    async def scenario(path, follower, taken):
        path.write_text(json.dumps(document(**{"no-such-scorer": 1})))
        await until(lambda: follower.problem)
        assert not taken
        path.unlink()
        await asyncio.sleep(0.05)
        path.write_text(json.dumps(document(**{"queue-scorer": 3})))
        await until(lambda: taken)
        assert follower.problem == ""

    followed(tmp_path, scenario)


def test_one_that_means_the_same_is_passed_over(tmp_path):
    async def scenario(path, follower, taken):
        path.write_text(json.dumps(document(**{"queue-scorer": 1}), indent=2))
        await asyncio.sleep(0.1)
        assert not taken

    followed(tmp_path, scenario)
