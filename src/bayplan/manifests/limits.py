"""How much a document may hold before it is refused."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that keep the cost of one hostile text small and the same on every run.

    A node is a key, a scalar or a collection; what an alias or a merge key repeats is counted again, node by node, and
    its text counts against `bytes_per_document`. `yaml_events` bound work rather than content: YAML costs a little
    more than one microsecond per event of its parser (a scalar is one event, a collection two), JSON a tenth of that.
    A text of up to one MiB may cost a quarter of a second, which is `yaml_events_of_a_small_text`; ordinary Workloads
    in block style have 140,000 to 190,000 events per MiB. A larger text gets `yaml_events_per_mib` for every MiB begun.
    """

    bytes_per_document: int = MIB
    bytes_per_stream: int = 16 * MIB
    depth: int = 64
    nodes: int = 200_000
    yaml_events_of_a_small_text: int = 190_000
    yaml_events_per_mib: int = 250_000
    digits_per_integer: int = 64

    def yaml_events(self, size_bytes: int) -> int:
        """What a text of this size may cost."""
        if size_bytes <= MIB:
            return self.yaml_events_of_a_small_text
        return self.yaml_events_per_mib * -(-size_bytes // MIB)


DOCUMENT = Limits()
"""For untrusted documents."""

LARGE = Limits(bytes_per_document=64 * MIB, bytes_per_stream=64 * MIB, nodes=10_000_000)
"""For a file of more than one MiB that the user names: what `kubectl get -A -o yaml` prints is one document."""

INVENTORY = Limits(
    bytes_per_document=256 * MIB,
    bytes_per_stream=256 * MIB,
    nodes=20_000_000,
    yaml_events_of_a_small_text=1_000_000,
    yaml_events_per_mib=1_000_000,
)
"""For a file that the user names as the cluster: fifty thousand workers with all their labels and annotations."""
