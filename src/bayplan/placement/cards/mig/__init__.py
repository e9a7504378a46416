"""MIG instances: which cards could give them, and from which slices."""
