"""How large this machine is, apart from its cards; None where it does not tell."""

from __future__ import annotations

import os


def cpu_milli() -> int | None:
    """Its processors, in thousandths."""
    cores = os.cpu_count()
    return None if cores is None else cores * 1000


def ram_mib() -> int | None:
    """Its memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (OSError, ValueError, AttributeError):
        return None
