"""Files for the models of the demo."""

import os
from pathlib import Path

from bayplan.cli.demo.model_files import NAMES, ModelFiles, prepare_models


def test_without_mlserver_there_are_folders_for_simulated_servers(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYPLAN_MLSERVER", os.devnull)

    assert prepare_models(tmp_path / "models") == ModelFiles(tmp_path / "models", simulated=True)
    assert sorted(each.name for each in (tmp_path / "models").iterdir()) == sorted(NAMES)


def test_where_training_fails_servers_are_simulated_and_the_reason_is_told(tmp_path, monkeypatch, capsys):
    for name in ("mlserver", "python"):
        _program(tmp_path / "bin" / name, "echo no scikit-learn >&2; exit 1")
    monkeypatch.setenv("BAYPLAN_MLSERVER", str(tmp_path / "bin" / "mlserver"))

    assert prepare_models(tmp_path / "models").simulated
    assert "no scikit-learn" in capsys.readouterr().err


def test_models_are_trained_once(tmp_path, monkeypatch):
    _program(tmp_path / "bin" / "mlserver", "exit 0")
    _program(tmp_path / "bin" / "python", 'shift 2; for name in "${@:2}"; do echo x >> "$1/$name/model.joblib"; done')
    monkeypatch.setenv("BAYPLAN_MLSERVER", str(tmp_path / "bin" / "mlserver"))

    for _ in range(2):
        assert prepare_models(tmp_path / "models") == ModelFiles(tmp_path / "models", simulated=False)
    assert {(tmp_path / "models" / name / "model.joblib").read_text() for name in NAMES} == {"x\n"}


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
