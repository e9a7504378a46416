"""NVML as the source of answers about cards; the only file that imports the package `nvidia-ml-py`."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.local import PLACE, DriverError

if TYPE_CHECKING:
    from collections.abc import Iterator

_P2P_NVLINK = 2  # NVML_P2P_CAPS_INDEX_NVLINK of NVIDIA's nvml.h
_INSTALL = "install it with: pip install 'bayplan[nvml]'"
_NO_DRIVER = "run it on a machine with an NVIDIA GPU and driver, or describe this one in a Cluster file"


class Nvml:
    """Asks NVML and returns plain data: texts, numbers, lists, and dicts instead of C structures."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def ask(self, question: str, *cards: int) -> Any:
        """See `Driver`. A question that this version of the library does not know raises the same error."""
        library = self._library
        try:
            handles = [library.nvmlDeviceGetHandleByIndex(card) for card in cards]
            if question == "MigDeviceNames":
                return [_plain(library.nvmlDeviceGetName(each)) for each in self._instances(handles[0])]
            if question == "MigDevices":
                return [self._instance(handles[0], each) for each in self._instances(handles[0])]
            extra = [_P2P_NVLINK] if question == "DeviceGetP2PStatus" else []
            return _plain(getattr(library, f"nvml{question}")(*handles, *extra))
        except (library.NVMLError, AttributeError) as error:
            raise DriverError(f"{question}: {error}") from None

    def _instances(self, card: Any) -> Iterator[Any]:
        library = self._library
        for number in range(library.nvmlDeviceGetMaxMigDeviceCount(card)):
            try:
                yield library.nvmlDeviceGetMigDeviceHandleByIndex(card, number)
            except library.NVMLError:
                continue  # a number without an instance

    def _instance(self, card: Any, device: Any) -> dict[str, Any]:
        """Name, UUID and first slice of a MIG device."""
        library = self._library
        held = library.nvmlDeviceGetGpuInstanceById(card, library.nvmlDeviceGetGpuInstanceId(device))
        info = _plain(library.nvmlGpuInstanceGetInfo(held))
        name, uuid = library.nvmlDeviceGetName(device), library.nvmlDeviceGetUUID(device)
        return {"name": _plain(name), "uuid": _plain(uuid), "start": info["placement"]["start"]}


@contextmanager
def nvml(package: str = "pynvml") -> Iterator[Nvml]:
    """The driver of this machine while the block runs; InputError where there is none."""
    try:
        library: Any = import_module(package)
    except ImportError:
        raise InputError("the package nvidia-ml-py is not installed", place=PLACE, next=_INSTALL) from None
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        raise InputError(f"no NVIDIA driver answers: {error}", place=PLACE, next=_NO_DRIVER) from None
    try:
        yield Nvml(library)
    finally:
        library.nvmlShutdown()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    fields = getattr(value, "_fields_", None)
    return value if fields is None else {field[0]: _plain(getattr(value, field[0])) for field in fields}
