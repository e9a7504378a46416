"""Verbs of our own beside those of Kubernetes: plan, why, gpus, queue, records, ledger, tokens, doctor and backup."""
