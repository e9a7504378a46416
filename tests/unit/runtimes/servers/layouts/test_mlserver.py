"""model-settings.json for MLServer."""

import json

import pytest

from bayplan.runtimes.servers.bookings import Booking, Wish
from bayplan.runtimes.servers.layouts.mlserver import lay_out_for_mlserver
from bayplan.runtimes.servers.load_errors import FinalLoadError


def laid_out(folder, own=None, env=None, **booking):
    if own is not None:
        (folder / "model-settings.json").write_text(own if isinstance(own, str) else json.dumps(own))
    instances = lay_out_for_mlserver(folder, Booking("iris_2", Wish.SERVED, **booking), env or {})
    return json.loads((folder / "model-settings.json").read_text()), instances


def test_the_framework_says_what_runs_a_model(tmp_path):
    settings, instances = laid_out(tmp_path, requirements=("mlserver", "sklearn"))

    assert settings == {
        "name": "iris_2",
        "implementation": "mlserver_sklearn.SKLearnModel",
        "parameters": {"uri": "./"},
    }
    assert instances == 1


def test_the_models_own_settings_are_kept_but_for_the_name(tmp_path):
    own = {"name": "x", "implementation": "mine.Model", "parameters": {"uri": "./a.bin", "extra": {"k": "1"}}}

    settings, _ = laid_out(tmp_path, own, requirements=("sklearn",), parameters={"task": "sum"})

    assert settings["name"] == "iris_2"
    assert settings["implementation"] == "mine.Model"
    assert settings["parameters"] == {"uri": "./a.bin", "extra": {"k": "1", "task": "sum"}}


INSTANCES = {
    "none is one": ({}, {}, 1),
    "those of the server": ({}, {"MLSERVER_PARALLEL_WORKERS": "3"}, 3),
    "no workers are one process": ({}, {"MLSERVER_PARALLEL_WORKERS": "0"}, 1),
    "those of the model come first": ({"parallel_workers": 2}, {"MLSERVER_PARALLEL_WORKERS": "3"}, 2),
}


@pytest.mark.parametrize(("own", "env", "expected"), INSTANCES.values(), ids=INSTANCES)
def test_instances(tmp_path, own, env, expected):
    assert laid_out(tmp_path, own, env, requirements=("sklearn",))[1] == expected


REFUSED = {
    "nothing says what runs it": (None, ("cobol",), "requirements .cobol. name no framework"),
    "settings that are no JSON": ("{", ("sklearn",), "is no JSON"),
    "settings that are no object": ("[]", ("sklearn",), "is no object"),
}


@pytest.mark.parametrize(("own", "requirements", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path, own, requirements, message):
    with pytest.raises(FinalLoadError, match=message):
        laid_out(tmp_path, own, requirements=requirements)
