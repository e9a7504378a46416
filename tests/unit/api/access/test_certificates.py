"""Certificates of a data folder: made once, made again when they no longer serve."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bayplan.api.access.certificates import certificates_of
from bayplan.framework.errors import InputError

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_kept_while_they_serve(tmp_path: Path) -> None:
    first = certificates_of(tmp_path / "tls", ["127.0.0.1"], NOW)
    text = first.server.read_bytes()
    assert certificates_of(tmp_path / "tls", ["127.0.0.1"], NOW + timedelta(days=300)).server.read_bytes() == text


def test_renewed_before_the_end(tmp_path: Path) -> None:
    first = certificates_of(tmp_path / "tls", ["127.0.0.1"], NOW)
    server, authority = first.server.read_bytes(), first.authority.read_bytes()
    again = certificates_of(tmp_path / "tls", ["127.0.0.1"], NOW + timedelta(days=340))
    assert again.server.read_bytes() != server
    assert again.authority.read_bytes() == authority


def test_renewed_for_another_name(tmp_path: Path) -> None:
    server = certificates_of(tmp_path / "tls", ["127.0.0.1"], NOW).server.read_bytes()
    assert certificates_of(tmp_path / "tls", ["gpu.example"], NOW).server.read_bytes() != server


def test_keys_are_private_and_fit(tmp_path: Path) -> None:
    files = certificates_of(tmp_path / "tls", [])
    assert files.key.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "tls" / "ca.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "tls").stat().st_mode & 0o777 == 0o700
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.server, files.key)  # raises where the key is not the certificate's


def test_a_key_that_is_not_the_certificates_is_made_again(tmp_path: Path) -> None:
    """As a crash between the two files leaves them."""
    files = certificates_of(tmp_path / "tls", [])
    other = certificates_of(tmp_path / "other", [])
    files.key.write_bytes(other.key.read_bytes())
    again = certificates_of(tmp_path / "tls", [])
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(again.server, again.key)


@pytest.mark.parametrize("name", ["server.crt", "server.key"])
def test_files_that_cannot_be_read_are_made_again(tmp_path: Path, name: str) -> None:
    files = certificates_of(tmp_path / "tls", [])
    authority = files.authority.read_bytes()
    (tmp_path / "tls" / name).write_bytes((tmp_path / "tls" / name).read_bytes()[:80])
    again = certificates_of(tmp_path / "tls", [])
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(again.server, again.key)
    assert again.authority.read_bytes() == authority


@pytest.mark.parametrize("name", ["ca.crt", "ca.key"])
def test_an_authority_that_cannot_be_read_is_told(tmp_path: Path, name: str) -> None:
    files = certificates_of(tmp_path / "tls", [])
    files.server.unlink()
    (tmp_path / "tls" / name).write_bytes(b"-----BEGIN")
    with pytest.raises(InputError, match=f"{name}: the certificate or key cannot be read; put it back, or remove"):
        certificates_of(tmp_path / "tls", [])
