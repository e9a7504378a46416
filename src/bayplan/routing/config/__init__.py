"""Configurations of routing, in llm-d's form and in our own: defaults filled in, every problem at once."""
