"""MIG instances: where they are, which one a request takes, and which cards would be cut anew."""
