"""Scraping: the metrics of all engines, read again and again, as often as it is worth."""
