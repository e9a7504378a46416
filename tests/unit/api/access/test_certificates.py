"""Certificates of a data folder: made once, made again when they no longer serve."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bayplan.api.access.certificates import certificates_of

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
