"""Policies that a replay can compare: ours and GIE's through the product's router, the others from their rules."""
