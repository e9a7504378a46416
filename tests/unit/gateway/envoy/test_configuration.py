"""Envoy's configuration; that Envoy itself accepts it is seen in tests/gateway."""

from pathlib import Path

import pytest

from bayplan.framework.errors import InputError
from bayplan.gateway.envoy.configuration import configuration
from bayplan.gateway.envoy.run_folder import RunFolder
from bayplan.gateway.envoy.settings import EnvoySettings, Mode

FOLDER = RunFolder(Path("/run/bayplan"))


def made(**settings):
    return configuration(EnvoySettings(**settings), FOLDER)["static_resources"]


def manager(**settings):
    return made(**settings)["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]


def filters(**settings):
    return {each["name"].rpartition(".")[2]: each["typed_config"] for each in manager(**settings)["http_filters"]}


def processor(**settings):
    return filters(**settings)["ext_proc"]


MODES = {
    "streamed": ({"mode": Mode.STREAMED}, "STREAMED", "NONE", True),
    "buffered": ({"mode": Mode.BUFFERED}, "BUFFERED", "NONE", False),
    "full duplex": ({"mode": Mode.FULL_DUPLEX}, "FULL_DUPLEX_STREAMED", "FULL_DUPLEX_STREAMED", False),
    "answers too": ({"sees_answers": True}, "STREAMED", "STREAMED", True),
}


@pytest.mark.parametrize(("settings", "requests", "answers", "unasked"), MODES.values(), ids=MODES)
def test_a_mode(settings, requests, answers, unasked):
    found = processor(**settings)

    assert found["processing_mode"]["request_body_mode"] == requests
    assert found["processing_mode"]["response_body_mode"] == answers
    assert found["send_body_without_waiting_for_header_response"] is unasked


FILTERS = {
    "streamed": ({"mode": Mode.STREAMED}, ["lua", "ext_proc", "router"]),
    "buffered": ({"mode": Mode.BUFFERED}, ["lua", "ext_proc", "router"]),
    "full duplex": ({"mode": Mode.FULL_DUPLEX}, ["ext_proc", "router"]),
    "answers too": ({"sees_answers": True}, ["ext_proc", "router"]),
}


@pytest.mark.parametrize(("settings", "names"), FILTERS.values(), ids=FILTERS)
def test_first_tokens_are_told_where_answers_do_not_pass_the_picker(settings, names):
    assert list(filters(**settings)) == names


def test_requests_go_on_where_the_picker_does_not_answer():
    found = processor(decision_s=0.5, hold_s=60)

    assert found["failure_mode_allow"] is True
    assert (found["message_timeout"], found["max_message_timeout"]) == ("0.5s", "60s")


def test_the_destination_comes_from_metadata_alone():
    """A client could send the header itself."""
    endpoints = made()["clusters"][0]
    policy = endpoints["load_balancing_policy"]["policies"][0]["typed_extension_config"]["typed_config"]

    assert policy["override_host_sources"] == [
        {"metadata": {"key": "envoy.lb", "path": [{"key": "x-gateway-destination-endpoint"}]}}
    ]
    assert "round_robin" in str(policy["fallback_policy"])


def test_plain_text_without_a_certificate_and_both_protocols_with_one():
    assert "transport_socket" not in made()["listeners"][0]["filter_chains"][0]
    chain = made(certificate=Path("/c.pem"), key=Path("/k.pem"))["listeners"][0]["filter_chains"][0]
    context = chain["transport_socket"]["typed_config"]["common_tls_context"]

    assert context["alpn_protocols"] == ["h2", "http/1.1"]
    assert context["tls_certificates"][0]["private_key"] == {"filename": "/k.pem"}


def test_bodies_are_allowed_as_long_as_the_picker_takes_them():
    assert manager(body_bytes=1000)["route_config"]["virtual_hosts"][0]["request_body_buffer_limit"] == 1000


WRONG = {
    "a port that is none": ({"port": 70_000}, "--port"),
    "a certificate without its key": ({"certificate": Path("/c.pem")}, "--tls-cert"),
    "no threads": ({"workers": 0}, "workers"),
    "no time": ({"decision_s": 0}, "decision_s"),
}


@pytest.mark.parametrize(("settings", "place"), WRONG.values(), ids=WRONG)
def test_settings_that_cannot_be(settings, place):
    with pytest.raises(InputError) as caught:
        EnvoySettings(**settings)

    assert caught.value.place == place


def test_a_folder_whose_path_is_too_long_for_a_socket():
    with pytest.raises(InputError, match="--run-folder"):
        RunFolder(Path("/" + "x" * 120))


def test_what_clients_call():
    assert EnvoySettings().url(80) == "http://127.0.0.1:80"
    assert EnvoySettings(host="::1", certificate=Path("c"), key=Path("k")).url(443) == "https://[::1]:443"
