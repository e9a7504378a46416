"""How much a document may hold before it is refused."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that keep the cost of one hostile text small and the same on every run.

    A node is a key, a scalar or a collection; what an alias or a merge key repeats counts again, node by node, and
    its text counts against `bytes_per_document`. `yaml_events_per_mib` bounds work rather than content: YAML costs
    about two microseconds per event of its parser (a scalar is one event, a collection two), JSON a tenth of that, so
    a text that is denser than any hand would write has to be JSON. It is granted for every MiB begun.
    """

    bytes_per_document: int = MIB
    bytes_per_stream: int = 16 * MIB
    depth: int = 64
    nodes: int = 200_000
    yaml_events_per_mib: int = 100_000
    digits_per_integer: int = 64

    def yaml_events(self, size_bytes: int) -> int:
        """What a text of this size may cost."""
        return self.yaml_events_per_mib * max(1, -(-size_bytes // MIB))


DOCUMENT = Limits()
"""For what anybody may hand in."""

INVENTORY = Limits(
    bytes_per_document=256 * MIB, bytes_per_stream=256 * MIB, nodes=20_000_000, yaml_events_per_mib=1_000_000
)
"""For what the user names as the cluster: fifty thousand workers with everything that is said about them."""
