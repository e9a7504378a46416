"""The GPUs that Bayplan knows by name, as data: add a line to teach it another one.

A line's `name` lists the words that a product's name must contain; of several lines that match, the one with
the most words counts, so that `A100 40GB` refines `A100`. Memory is nominal (a driver reports a little less).
Unpublished figures stay out: unknown is never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """What is known about every product whose name contains the words of `name`.

    `usual_mib` is the size of products whose names do not tell it, such as H100-PCIe.
    """

    name: str
    family: str
    runtime: str = "cuda"
    memory_mib: int | None = None
    compute_capability: float | None = None
    nvlink_gb_per_s: float | None = None
    pcie_gen: int | None = None
    mig_geometry: str | None = None
    idle_watts: int | None = None
    full_watts: int | None = None
    usual_mib: int | None = None


def _nvidia(
    names: str,
    gib: int | None,
    capability: float | None,
    pcie_gen: int | None,
    *,
    family: str = "",
    nvlink: float | None = None,
    mig: str | None = None,
    watts: tuple[int, int] | None = None,
    usual_gib: int | None = None,
) -> tuple[CatalogueEntry, ...]:
    """One entry for each of the names; each is its own family unless said."""
    idle, full = watts or (None, None)
    return tuple(
        CatalogueEntry(
            name=name,
            family=family or name,
            memory_mib=None if gib is None else gib * 1024,
            compute_capability=capability,
            nvlink_gb_per_s=nvlink,
            pcie_gen=pcie_gen,
            mig_geometry=mig,
            idle_watts=idle,
            full_watts=full,
            usual_mib=None if usual_gib is None else usual_gib * 1024,
        )
        for name in names.split(", ")
    )


def _other(runtime: str, name: str, gib: int | None, pcie_gen: int | None = None) -> CatalogueEntry:
    return CatalogueEntry(name, name, runtime, memory_mib=None if gib is None else gib * 1024, pcie_gen=pcie_gen)


CATALOGUE: tuple[CatalogueEntry, ...] = (
    # Kepler, Pascal
    *_nvidia("K80", 12, 3.7, 3),
    *_nvidia("P4", 8, 6.1, 3),
    *_nvidia("P40", 24, 6.1, 3),
    *_nvidia("P100", 16, 6.0, 3, nvlink=160, watts=(25, 250)),
    *_nvidia("TITAN X Pascal, TITAN Xp", 12, 6.1, 3),
    *_nvidia("GTX 1080 Ti", 11, 6.1, 3),
    # Volta, Turing
    *_nvidia("V100", None, 7.0, 3, nvlink=300, watts=(30, 300)),
    *_nvidia("V100 16GB", 16, 7.0, 3, nvlink=300, watts=(30, 300), family="V100"),
    *_nvidia("V100 32GB", 32, 7.0, 3, nvlink=300, watts=(30, 300), family="V100"),
    *_nvidia("TITAN V", 12, 7.0, 3),
    *_nvidia("T4", 16, 7.5, 3, watts=(10, 70)),
    *_nvidia("RTX 2080 Ti", 11, 7.5, 3),
    *_nvidia("Quadro RTX 6000", 24, 7.5, 3),
    *_nvidia("Quadro RTX 8000", 48, 7.5, 3),
    # Ampere
    *_nvidia("A100", None, 8.0, 4, nvlink=600, watts=(50, 400)),
    *_nvidia("A100 40GB", 40, 8.0, 4, nvlink=600, mig="40GB", watts=(50, 400), family="A100"),
    *_nvidia("A100 80GB", 80, 8.0, 4, nvlink=600, mig="80GB", watts=(50, 400), family="A100"),
    *_nvidia("A800", None, 8.0, 4, nvlink=400),
    *_nvidia("A800 40GB", 40, 8.0, 4, nvlink=400, mig="40GB", family="A800"),
    *_nvidia("A800 80GB", 80, 8.0, 4, nvlink=400, mig="80GB", family="A800"),
    *_nvidia("A30", 24, 8.0, 4, nvlink=200, mig="24GB"),
    *_nvidia("A10", 24, 8.6, 4, watts=(30, 150)),
    *_nvidia("A10G", 24, 8.6, 4),
    *_nvidia("A2, A16", 16, 8.6, 4),
    *_nvidia("A40, RTX A6000", 48, 8.6, 4),
    *_nvidia("RTX A5000", 24, 8.6, 4),
    *_nvidia("RTX A4000", 16, 8.6, 4),
    *_nvidia("RTX 3090", 24, 8.6, 4),
    *_nvidia("RTX 3080", 10, 8.6, 4),
    *_nvidia("RTX 3060", 12, 8.6, 4),
    # Ada
    *_nvidia("L4", 24, 8.9, 4),
    *_nvidia("L20, L40, L40S, RTX 6000 Ada", 48, 8.9, 4),
    *_nvidia("RTX 4090", 24, 8.9, 4),
    *_nvidia("RTX 4080", 16, 8.9, 4),
    *_nvidia("RTX 4070", 12, 8.9, 4),
    *_nvidia("RTX 4060", 8, 8.9, 4),
    # Hopper
    *_nvidia("H100", None, 9.0, 5, nvlink=900, usual_gib=80),
    *_nvidia("H100 80GB", 80, 9.0, 5, nvlink=900, mig="80GB", family="H100"),
    *_nvidia("H100 94GB, H100 NVL", 94, 9.0, 5, nvlink=900, mig="94GB", family="H100"),
    *_nvidia("H100 96GB", 96, 9.0, 5, nvlink=900, mig="96GB", family="H100"),
    *_nvidia("H800", 80, 9.0, 5, nvlink=400, mig="80GB"),
    *_nvidia("H20", 96, 9.0, 5, nvlink=900, mig="96GB"),
    *_nvidia("H200", 141, 9.0, 5, nvlink=900, mig="141GB"),
    *_nvidia("GH200", None, 9.0, 5, nvlink=900),
    # Blackwell
    *_nvidia("B200", 180, 10.0, 5, nvlink=1800, mig="180GB"),
    *_nvidia("GB200", None, 10.0, 5, nvlink=1800),
    *_nvidia("RTX PRO 6000", 96, 12.0, 5),
    *_nvidia("RTX 5090", 32, 12.0, 5),
    *_nvidia("RTX 5080", 16, 12.0, 5),
    # The names that the openb trace uses
    *_nvidia("V100M16", 16, 7.0, 3, nvlink=300, watts=(30, 300)),
    *_nvidia("V100M32", 32, 7.0, 3, nvlink=300, watts=(30, 300)),
    *_nvidia("G2", None, None, None, watts=(30, 150)),
    *_nvidia("G3", None, None, None, watts=(50, 400)),
    # Other vendors
    _other("rocm", "MI210", 64, 4),
    _other("rocm", "MI250X", 64, 4),  # each of its two dies is a device
    _other("rocm", "MI300X", 192, 5),
    _other("rocm", "MI325X", 256, 5),
    _other("rocm", "RX 7900 XTX", 24, 4),
    _other("rocm", "RX 7800 XT", 16, 4),
    _other("cann", "Ascend 910B", 64),
    _other("musa", "MTT S4000", 48),
    _other("mps", "Apple", None),
)
