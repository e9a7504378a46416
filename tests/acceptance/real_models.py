"""Published models: each check is one call of `estimate`, compared with what engines report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys
from acceptance.matching import is_number, none_of, same, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from acceptance.case_files import Document

    Ask = Callable[..., Document]

MODEL_KEYS = {"id", "source", "backend", "path", "files", "checks"}
_ASKED = {"context", "concurrency", "args", "tp"}
_RANGE = {"within", "under", "over"}
_ABOUT = {"why", "needs"}
_CONTEXT = 2048
_KV_ROUNDING_MIB = 1


def compare_model(body: Document, folder: str, ask: Ask) -> list[str]:
    """One line for each check that does not hold."""
    known_keys(body, MODEL_KEYS, "the model")
    if not body["checks"]:
        raise CaseError("the model has no checks")
    lines: list[str] = []
    for at, check in enumerate(body["checks"]):
        lines += [f"checks[{at}].{line} ({check.get('why')})" for line in _checked(body, folder, check, ask)]
    return lines


def _checked(body: Document, folder: str, check: Document, ask: Ask) -> Iterator[str]:
    kinds = [kind for kind in CHECKS if kind in check]
    if not kinds:
        raise CaseError(f"the check {shown(check)} has none of {', '.join(CHECKS)}")
    known_keys(check, {*kinds, *_ASKED, *_RANGE, *_ABOUT}, "a check")
    options = {
        "path": f"{folder}/{body['path']}" if "path" in body else folder,
        "backend": {"name": body.get("backend", "vllm"), "args": check.get("args", [])},
        "context": check.get("context", _CONTEXT),
        **({"concurrency": check["concurrency"]} if "concurrency" in check else {}),
    }
    for kind in kinds:
        yield from CHECKS[kind](check, ask, options)


def _weights(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    mib = ask(**options)["weights_mib"]
    return _near("weights_gb", check["weights_gb"], mib * 2**20 / 1e9 if is_number(mib) else mib, check)


def _kv(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    return _near("kv_mib", check["kv_mib"], ask(**options)["kv_mib"], check, _KV_ROUNDING_MIB)


def _longest(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    given = ask(**{**options, "context": check["max_context"]})["kv_mib"]
    del options["context"]
    return same("max_context", given if given is not None else "a number", ask(**options)["kv_mib"])


def _tp_valid(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    listed = _divisions(ask(**options))
    if not set(check["tp_valid"]) <= listed:
        yield f"tp_valid: expected all of {check['tp_valid']}, got {sorted(listed)}"


def _tp_invalid(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    return none_of("tp_invalid", check["tp_invalid"], _divisions(ask(**options)))


def _divisions(estimate: Document) -> set[int]:
    return {row["tp"] for row in estimate["per_gpu"] if row["pp"] == 1}


def _card(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    rows = ask(**options, kvCache=0)["per_gpu"]
    found = [row["mib"] for row in rows if (row["tp"], row["pp"]) == (check.get("tp", 1), 1)]
    return _near("card_without_kv_mib", check["card_without_kv_mib"], found[0] if found else None, check)


def _overhead(check: Document, ask: Ask, options: Document) -> Iterator[str]:
    answer = ask(**options, kvCache=0)
    parts = [answer["overhead_mib"], answer["activations_mib"]]
    return _near("overhead_mib", check["overhead_mib"], None if None in parts else sum(parts), check)


CHECKS: dict[str, Callable[[Document, Ask, Document], Iterator[str]]] = {
    "weights_gb": _weights,
    "kv_mib": _kv,
    "max_context": _longest,
    "tp_valid": _tp_valid,
    "tp_invalid": _tp_invalid,
    "card_without_kv_mib": _card,
    "overhead_mib": _overhead,
}


def _near(place: str, expected: float, came: Any, check: Document, free: float = 0) -> Iterator[str]:
    """Within so many per cent, `under` and `over` for each side."""
    under, over = (check.get(side, check.get("within")) for side in ("under", "over"))
    if under is None or over is None:
        raise CaseError(f"{place}: the check says neither `within` nor `under` and `over`")
    lowest, highest = expected * (1 - under / 100) - free, expected * (1 + over / 100) + free
    if not is_number(came) or not lowest <= came <= highest:
        yield f"{place}: expected {expected} (from {lowest:.3f} to {highest:.3f}), got {shown(came)}"
