"""A scorer for placement: cheap workers first."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Thrift:
    """Scores how cheap a worker is: 1.0 where it costs nothing, 0.0 from the dearest price on, 0.5 where nobody told.

    Parameters:
        dearest_usd_per_hour: The price from which on a worker scores 0.
    """

    dearest_usd_per_hour: float = 100.0

    name = "thrift"
    reads = ("usd_per_hour",)

    def score(self, ask, rows, cycle):
        price = rows.usd_per_hour
        return np.where(price < 0, 0.5, 1.0 - np.minimum(price / self.dearest_usd_per_hour, 1.0))
