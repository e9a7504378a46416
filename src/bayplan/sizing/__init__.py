"""Model files to MiB: what a model needs, card by card, and where each number comes from."""
