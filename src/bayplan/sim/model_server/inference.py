"""What a simulated model answers: the sum of each row of its first input, so that answers can be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class UnreadableRequestError(Exception):
    """A request that is none of the V2 protocol; the message says what is wrong with it."""


def answer(model: str, request: Any) -> dict[str, Any]:
    """The response to an inference request; `model` is the name under which it was loaded."""
    tensor = _first_input(request)
    values = _numbers(tensor.get("data"))
    shape = tensor.get("shape")
    rows = shape[0] if isinstance(shape, list) and shape and isinstance(shape[0], int) and shape[0] > 0 else 1
    if len(values) % rows:
        raise UnreadableRequestError(f"inputs[0]: {len(values)} values do not make {rows} rows")
    width = len(values) // rows
    sums = [sum(values[row * width : (row + 1) * width]) for row in range(rows)]
    output = {"name": "predict", "shape": [rows, 1], "datatype": "FP64", "data": sums}
    identified = {"id": str(request["id"])} if request.get("id") is not None else {}
    return {"model_name": model, **identified, "parameters": {}, "outputs": [output]}


def _first_input(request: Any) -> dict[str, Any]:
    inputs = request.get("inputs") if isinstance(request, dict) else None
    if not isinstance(inputs, list) or not inputs or not isinstance(inputs[0], dict):
        raise UnreadableRequestError("inputs: must be a list with at least one tensor")
    first: dict[str, Any] = inputs[0]
    return first


def _numbers(data: Any) -> list[float]:
    """The values of a tensor in row order; what is no number counts by its length, as texts do."""
    if not isinstance(data, list):
        raise UnreadableRequestError("inputs[0].data: must be a list")
    return list(_flat(data))


def _flat(data: list[Any]) -> Iterator[float]:
    waiting: list[Iterator[Any]] = [iter(data)]
    while waiting:  # no recursion: a client decides how deep lists are nested
        for each in waiting[-1]:
            if isinstance(each, list):
                waiting.append(iter(each))
                break
            yield float(each) if isinstance(each, int | float) else float(len(str(each)))
        else:
            waiting.pop()
