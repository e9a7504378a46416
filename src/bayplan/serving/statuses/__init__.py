"""How far models and servers are."""
