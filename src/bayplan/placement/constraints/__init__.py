"""Constraints of a whole workload: one file holds all of each rule."""
