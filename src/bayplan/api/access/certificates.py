"""TLS for a server of one's own: an authority that is made once, and a certificate for the addresses it serves."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

T = TypeVar("T")

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
    if not (files.server.exists() and files.key.exists() and _serves(files, wanted, now)):
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
    _write(certificate, built.public_bytes(serialization.Encoding.PEM), 0o644)


def _make_server(files: Certificates, authority_key: Path, names: tuple[str, ...], now: datetime) -> None:
    authority = _readable(files.authority, x509.load_pem_x509_certificate)
    signer = _readable(authority_key, _private_key)
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
    _write(files.server, built.public_bytes(serialization.Encoding.PEM), 0o644)


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


def _serves(files: Certificates, names: tuple[str, ...], now: datetime) -> bool:
    """Whether the server's certificate and key can be read, belong together, and still hold for these names."""
    try:
        certificate = x509.load_pem_x509_certificate(files.server.read_bytes())
        key = _private_key(files.key.read_bytes())
    except ValueError:
        return False
    found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    fits = certificate.public_key() == key.public_key() and set(map(_alternative, names)) <= set(found)
    return fits and now + _RENEWED_BEFORE < certificate.not_valid_after_utc


def _private_key(text: bytes) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(text, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        message = "no elliptic curve key"
        raise ValueError(message)  # noqa: TRY004 (as the parser says of all that it cannot read)
    return key


def _readable(file: Path, read: Callable[[bytes], T]) -> T:
    """The authority is not made again by itself: workers on other machines trust it."""
    try:
        return read(file.read_bytes())
    except ValueError:
        following = f"put it back, or remove the folder {file.parent}: then new certificates are made"
        raise InputError("the certificate or key cannot be read", place=str(file), next=following) from None


def _write_key(file: Path, key: ec.EllipticCurvePrivateKey) -> None:
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    _write(file, key.private_bytes(encoding, form, serialization.NoEncryption()), 0o600)


def _write(file: Path, text: bytes, mode: int) -> None:
    """By rename, so that it is never there in part; the mode is set before the first byte is written."""
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=mode)
    part.write_bytes(text)
    part.replace(file)
