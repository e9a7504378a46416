"""`bayplan gateway …`: data planes in front of engines."""
