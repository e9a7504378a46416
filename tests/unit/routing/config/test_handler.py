"""Which handler there is, and whether the profiles that it names are there."""

import pytest

from unit.routing.config.documents import picker, problems, profile, read, told, warnings

ONE = [profile("a", "queue-scorer")]
TWO = [profile("decode", "queue-scorer"), profile("prefill", "queue-scorer")]
MULTIMODAL = "always-disagg-multimodal-decider"
ALWAYS = "always-disagg-pd-decider"

FOUND = {
    "none": (picker("queue-scorer", profiles=ONE), "single-profile-handler"),
    "declared": (
        picker("queue-scorer", "data-parallel-profile-handler", profiles=ONE),
        "data-parallel-profile-handler",
    ),
    "a short name": (picker("queue-scorer", "single-profile", profiles=ONE), "single-profile-handler"),
    "stages without deciders": (
        picker("queue-scorer", "disagg-profile-handler", profiles=TWO),
        "disagg-profile-handler",
    ),
    "two stages": (
        picker("queue-scorer", ALWAYS, told("pd-profile-handler", deciderPluginName=ALWAYS), profiles=TWO),
        "pd-profile-handler",
    ),
    "shadows": (
        picker("queue-scorer", told("shadow-profile-handler", primary="decode", shadows=["prefill"]), profiles=TWO),
        "shadow-profile-handler",
    ),
}


@pytest.mark.parametrize(("document", "name"), FOUND.values(), ids=FOUND)
def test_the_handler(document, name):
    assert read(document).scheduler.handler.name == name


def test_our_own_kind_may_name_it():
    document = {
        "scheduler": "routing",
        "profileHandler": {"pluginRef": "by-header"},
        "plugins": [told("header-profile-handler", "by-header", defaultProfile="decode"), {"type": "queue-scorer"}],
        "schedulingProfiles": TWO,
    }

    assert read(document).document()["profileHandler"] == {"pluginRef": "by-header"}


REFUSED = {
    "two handlers": (
        picker("queue-scorer", "single-profile-handler", "header-profile-handler", profiles=ONE),
        "profileHandler",
        "'single-profile-handler' and 'header-profile-handler'",
    ),
    "several profiles": (picker("queue-scorer", profiles=TWO), "profileHandler", "2 profiles"),
    "the handler of one profile": (
        picker("queue-scorer", "single-profile-handler", profiles=TWO),
        "profileHandler",
        "'single-profile-handler'",
    ),
    "ranks": (
        picker("queue-scorer", "data-parallel-profile-handler", profiles=TWO),
        "profileHandler",
        "'data-parallel-profile-handler'",
    ),
    "no decode profile": (
        picker("queue-scorer", "disagg-profile-handler", profiles=[profile("generate", "queue-scorer")]),
        "plugins[1].parameters.profiles.decode",
        "'decode'",
    ),
    "a decode profile that is named": (
        picker("queue-scorer", told("disagg-profile-handler", profiles={"decode": "dec"}), profiles=TWO),
        "plugins[1].parameters.profiles.decode",
        "'dec'",
    ),
    "an encode profile that is named": (
        picker("queue-scorer", told("disagg-profile-handler", profiles={"encode": "enc"}), profiles=TWO),
        "plugins[1].parameters.profiles.encode",
        "'enc'",
    ),
    "a decider without its profile": (
        picker(
            "queue-scorer", told("disagg-profile-handler", deciders={"encode": MULTIMODAL}), MULTIMODAL, profiles=TWO
        ),
        "plugins[1].parameters.profiles.encode",
        "'encode'",
    ),
    "two stages without decode": (
        picker("queue-scorer", "pd-profile-handler", profiles=ONE),
        "plugins[1].parameters.decodeProfile",
        "'decode'",
    ),
    "two stages without prefill": (
        picker(
            "queue-scorer",
            ALWAYS,
            told("pd-profile-handler", deciderPluginName=ALWAYS),
            profiles=[profile("decode", "queue-scorer")],
        ),
        "plugins[2].parameters.prefillProfile",
        "'prefill'",
    ),
    "a primary that is not there": (
        picker("queue-scorer", told("shadow-profile-handler", primary="live"), profiles=TWO),
        "plugins[1].parameters.primary",
        "'live'",
    ),
    "a shadow that is not there": (
        picker(
            "queue-scorer", told("shadow-profile-handler", primary="decode", shadows=["prefill", "c"]), profiles=TWO
        ),
        "plugins[1].parameters.shadows[1]",
        "'c'",
    ),
    "a name of no handler": (
        {"scheduler": "routing", "profileHandler": {"pluginRef": "random"}, "plugins": [{"type": "random"}]},
        "profileHandler.pluginRef",
        "'random' is no handler",
    ),
    "an empty name": (
        {"scheduler": "routing", "profileHandler": {"pluginRef": ""}, "plugins": [{"type": "random"}]},
        "profileHandler.pluginRef",
        "is missing",
    ),
}


@pytest.mark.parametrize(("document", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]


def test_a_port_and_profiles_are_refused_together():
    document = picker("queue-scorer", told("data-parallel-profile-handler", primaryPort=-10), profiles=TWO)

    assert problems(document).keys() == {"profileHandler", "plugins[1].parameters.primaryPort"}


def test_a_default_profile_that_is_not_there_is_told():
    document = picker("queue-scorer", told("header-profile-handler", defaultProfile="chat"), profiles=TWO)

    assert "'chat'" in warnings(document)["plugins[1].parameters.defaultProfile"]


def test_the_default_profile_of_one_profile_does_not_matter():
    assert not warnings(picker("queue-scorer", "header-profile-handler", profiles=ONE))
