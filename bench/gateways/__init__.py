"""What the benchmark of gateways needs: backends, load, other people's gateways, and their processes."""
