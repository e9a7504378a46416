"""Policies of flow control: which flow is next, which of its requests, and how full a band may fill the pool."""
