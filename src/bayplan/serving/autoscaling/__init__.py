"""How many replicas models and servers should have."""
