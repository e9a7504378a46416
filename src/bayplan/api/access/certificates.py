"""TLS for a server of one's own: an authority that is made once, and a certificate for the addresses it serves."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_AUTHORITY_LASTS = timedelta(days=3650)
_SERVER_LASTS = timedelta(days=365)
_RENEWED_BEFORE = timedelta(days=30)
_CLOCKS_DIFFER = timedelta(hours=1)  # a client whose clock is behind must not find the certificate too young


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files of a data folder: what clients trust, what the server shows, and its key."""

    authority: Path
    server: Path
    key: Path


def certificates_of(folder: Path, names: Iterable[str], now: datetime | None = None) -> Certificates:
    """The certificates in a folder; the server's is made again where a name is missing or its end is near."""
    now = now or datetime.now(UTC)
    wanted = tuple(dict.fromkeys((*names, "localhost", "127.0.0.1", "::1")))
    folder.mkdir(mode=0o700, exist_ok=True)
    files = Certificates(folder / "ca.crt", folder / "server.crt", folder / "server.key")
    authority_key = folder / "ca.key"
    if not (files.authority.exists() and authority_key.exists()):
        _make_authority(files.authority, authority_key, now)
        files.server.unlink(missing_ok=True)
    if not (files.server.exists() and files.key.exists() and _serves(files.server, wanted, now)):
        _make_server(files, authority_key, wanted, now)
    return files


def _make_authority(certificate: Path, key_file: Path, now: datetime) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bayplan authority")])
    built = (
        _builder(name, name, key.public_key(), now, _AUTHORITY_LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    _write_key(key_file, key)
    certificate.write_bytes(built.public_bytes(serialization.Encoding.PEM))


def _make_server(files: Certificates, authority_key: Path, names: tuple[str, ...], now: datetime) -> None:
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    signer = serialization.load_pem_private_key(authority_key.read_bytes(), None)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{authority_key} holds no elliptic curve key")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bayplan")])
    built = (
        _builder(name, authority.subject, key.public_key(), now, _SERVER_LASTS)
        .add_extension(x509.SubjectAlternativeName([_alternative(each) for each in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )
    _write_key(files.key, key)
    files.server.write_bytes(built.public_bytes(serialization.Encoding.PEM))


def _builder(
    subject: x509.Name, issuer: x509.Name, public: ec.EllipticCurvePublicKey, now: datetime, lasts: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS_DIFFER)
        .not_valid_after(now + lasts)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _serves(file: Path, names: tuple[str, ...], now: datetime) -> bool:
    certificate = x509.load_pem_x509_certificate(file.read_bytes())
    found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return set(map(_alternative, names)) <= set(found) and now + _RENEWED_BEFORE < certificate.not_valid_after_utc


def _write_key(file: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """The mode is set before the first byte is written."""
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    file.write_bytes(key.private_bytes(encoding, form, serialization.NoEncryption()))
