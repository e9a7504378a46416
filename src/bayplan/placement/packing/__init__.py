"""Packing: what workloads are likely to come, and what a worker is worth to them."""
