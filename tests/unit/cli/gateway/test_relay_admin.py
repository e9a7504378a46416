import pytest

from bayplan.cli.gateway.relay_admin import NoRelayError, RelayAdmin
from bayplan.framework.errors import InputError
from unit.cli.small_admin import endpoint, small_admin


def test_the_endpoints():
    document = {"endpoints": [endpoint("e0")], "held": 0}
    with small_admin(document) as server:
        assert RelayAdmin(server.url).endpoints() == document


STRANGERS = {
    "an error":           (404, {"error": {}}, "it answers 404"),
    "another document":   (200, {"items": []}, "it answers 200, not as an admin port"),
    "no object":          (200, [1], "it answers 200"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "document", "message"), STRANGERS.values(), ids=STRANGERS)
def test_what_is_no_admin_port(status, document, message):
    with small_admin(document) as server:
        server.status = status
        with pytest.raises(NoRelayError, match=message):
            RelayAdmin(server.url).endpoints()


def test_nobody_is_there():
    with small_admin({}) as server:
        url = server.url

    with pytest.raises(NoRelayError, match=r"no relay answers: Connection refused; name the admin URL"):
        RelayAdmin(url).endpoints()


@pytest.mark.parametrize("url", ["", "7081", "https://127.0.0.1:7081", "http://", "http://a:b", "http://[x"])
def test_what_is_no_address(url):
    with pytest.raises(InputError, match="is no address of an admin port"):
        RelayAdmin(url)
