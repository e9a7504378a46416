"""Verbs of our own beside those of Kubernetes: plan, why, gpus, queue, records, ledger and tokens."""
