"""The layout of MLServer: a model-settings.json beside the files, under the name of the booking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.runtimes.servers.load_errors import FinalLoadError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bayplan.runtimes.servers.bookings import Booking

SETTINGS: Final = "model-settings.json"
WORKERS: Final = "MLSERVER_PARALLEL_WORKERS"
IMPLEMENTATIONS: Final = {
    "sklearn": "mlserver_sklearn.SKLearnModel",
    "xgboost": "mlserver_xgboost.XGBoostModel",
    "lightgbm": "mlserver_lightgbm.LightGBMModel",
    "catboost": "mlserver_catboost.CatboostModel",
    "mlflow": "mlserver_mlflow.MLflowRuntime",
    "huggingface": "mlserver_huggingface.HuggingFaceRuntime",
    "alibi-detect": "mlserver_alibi_detect.AlibiDetectRuntime",
    "alibi-explain": "mlserver_alibi_explain.AlibiExplainRuntime",
    "spark-mlib": "mlserver_mllib.MLlibModel",
}
"""What runs a model, by the requirement that names its framework."""


def lay_out_for_mlserver(folder: Path, booking: Booking, env: Mapping[str, str]) -> int:
    """Write the settings; the model's own ones are kept, but for the name. The number of instances that will run."""
    settings = _own_settings(folder, booking)
    parameters: dict[str, Any] = dict(settings.get("parameters") or {})
    parameters.setdefault("uri", "./")
    if booking.parameters:
        parameters["extra"] = {**(parameters.get("extra") or {}), **booking.parameters}
    settings["implementation"] = settings.get("implementation") or _implementation(booking)
    settings |= {"name": booking.name, "parameters": parameters}
    (folder / SETTINGS).write_bytes(orjson.dumps(settings, option=orjson.OPT_INDENT_2))
    return _instances(settings, env)


def _own_settings(folder: Path, booking: Booking) -> dict[str, Any]:
    file = folder / SETTINGS
    if not file.exists():
        return {}
    try:
        settings = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise FinalLoadError(f"{booking.storage_uri}: its {SETTINGS} is no JSON: {error}") from None
    if not isinstance(settings, dict):
        raise FinalLoadError(f"{booking.storage_uri}: its {SETTINGS} is no object")
    return settings


def _implementation(booking: Booking) -> str:
    wanted = ("alibi-explain", *booking.requirements) if booking.is_explainer else booking.requirements
    found = next((IMPLEMENTATIONS[each] for each in wanted if each in IMPLEMENTATIONS), None)
    if found is None:
        known = ", ".join(IMPLEMENTATIONS)
        raise FinalLoadError(
            f"{booking.storage_uri}: nothing says what runs the model: it has no {SETTINGS}, and its requirements "
            f"({', '.join(booking.requirements) or 'none'}) name no framework; add one of {known}"
        )
    return found


def _instances(settings: Mapping[str, Any], env: Mapping[str, str]) -> int:
    """How many processes hold the model: those of its settings, else those of the server; at least one."""
    own = settings.get("parallel_workers")
    given = str(own) if isinstance(own, int) else env.get(WORKERS, "")
    return max(1, int(given)) if given.isdigit() else 1
