"""Annotations by which Pods and Nodes say how they behave in a simulation."""

from __future__ import annotations

DURATION = "bayplan.io/simulated-duration"
"""How long the work of a Pod takes that ends by itself: `90s`, `5m`."""

LOADING = "bayplan.io/simulated-loading"
"""How long a Pod loads before it is ready, instead of what follows from its size."""

FAULT = "bayplan.io/simulated-fault"
"""On a Node: what is wrong with its machine for as long as the annotation is there: `fail`, `cut` or `slow`."""
