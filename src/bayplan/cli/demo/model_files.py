"""The files of the demo's models: trained ones where MLServer is installed, else stand-ins for simulated servers."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cli.errors import warn
from bayplan.framework.errors import InputError
from bayplan.runtimes.servers.mlserver_installation import find_mlserver

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("iris", "income", "fraud", "wine", "forecast")
_TRAINING_S = 120
_TRAINING = """
import pathlib, sys
import joblib
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
for number, name in enumerate(sys.argv[2:]):
    folder = pathlib.Path(sys.argv[1]) / name
    folder.mkdir(parents=True, exist_ok=True)
    rows, answers = make_classification(n_samples=120, n_features=4, random_state=number)
    joblib.dump(LogisticRegression().fit(rows, answers), folder / "model.joblib")
"""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the files of models are, and whether servers are to be simulated."""

    folder: Path
    simulated: bool = True


def prepare_models(folder: Path) -> ModelFiles:
    """Make the files that are missing; whatever is in the way of real models, the demo goes on with simulated ones."""
    for name in NAMES:
        (folder / name).mkdir(parents=True, exist_ok=True)
    try:
        python = find_mlserver().with_name("python")
    except InputError:
        return ModelFiles(folder)
    if all((folder / name / "model.joblib").exists() for name in NAMES):
        return ModelFiles(folder, simulated=False)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        done = subprocess.run(  # noqa: S603 (words of our own)
            [str(python), "-c", _TRAINING, str(folder), *NAMES],
            capture_output=True, text=True, timeout=_TRAINING_S, check=False, env=kept,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        warn(f"models of the demo cannot be trained, so their servers are simulated: {error}")
        return ModelFiles(folder)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        warn(f"models of the demo cannot be trained, so their servers are simulated: {reason}")
    return ModelFiles(folder, simulated=bool(done.returncode))
