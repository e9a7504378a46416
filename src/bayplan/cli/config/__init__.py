"""Scheduler configurations on the command line."""
