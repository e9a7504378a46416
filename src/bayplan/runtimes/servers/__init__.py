"""Servers that hold many models: the worker's agent loads and unloads models on those that run here."""
