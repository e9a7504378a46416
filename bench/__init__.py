"""Figures, not guesses: what Bayplan costs, measured beside honest peers in the same run."""
