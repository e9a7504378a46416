"""What a server refuses at its start."""

from pathlib import Path

import pytest

from bayplan.bootstrap import Options
from bayplan.framework.errors import InputError

OTHERS = ["0.0.0.0", "::", "192.0.2.1", "example.org", ""]  # noqa: S104 (refused)


@pytest.mark.parametrize("host", OTHERS)
def test_plain_http_is_for_this_machine_alone(host: str) -> None:
    with pytest.raises(InputError, match="need TLS and tokens"):
        Options(Path("x"), host=host, tls=False).check()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_plain_http_on_this_machine(host: str) -> None:
    Options(Path("x"), host=host, tls=False).check()


@pytest.mark.parametrize("host", OTHERS)
def test_other_addresses_have_tls(host: str) -> None:
    Options(Path("x"), host=host).check()


def test_all_addresses_are_no_name() -> None:
    names = Options(Path("x"), host="0.0.0.0", names=("a.example",)).all_names  # noqa: S104 (a name)
    assert "0.0.0.0" not in names  # noqa: S104 (a name)
    assert {"a.example", "localhost", "127.0.0.1"} <= set(names)
