"""Models divided by layers: which cards take how many."""
