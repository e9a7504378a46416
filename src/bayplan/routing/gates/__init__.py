"""Gates: whether a request goes at once, waits for room, or is turned away."""
