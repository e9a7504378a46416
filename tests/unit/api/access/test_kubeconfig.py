"""The kubeconfig: private, complete, and replaced whole."""

from pathlib import Path

import yaml

from bayplan.api.access.certificates import certificates_of
from bayplan.api.access.kubeconfig import token_of, write_kubeconfig


def test_written_for_https(tmp_path: Path) -> None:
    authority = certificates_of(tmp_path / "tls", []).authority
    file = tmp_path / "kubeconfig"
    write_kubeconfig(file, "https://127.0.0.1:1", authority=authority, token="secret")
    write_kubeconfig(file, "https://127.0.0.1:2", authority=authority, token="secret")
    document = yaml.safe_load(file.read_text())
    assert file.stat().st_mode & 0o777 == 0o600
    assert document["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:2"
    assert token_of(file) == "secret"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kubeconfig", "tls"]


def test_token_of_what_is_no_kubeconfig(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    assert token_of(file) == ""
    for text in ("", "[]", "users: []", "users: [{user: 5}]", "{", "users: 5"):
        file.write_text(text)
        assert token_of(file) == ""
