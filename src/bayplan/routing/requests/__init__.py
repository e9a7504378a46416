"""Requests as plugins see them: parsed once, whatever API they speak."""
