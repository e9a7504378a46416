"""A shelf in one SQLite file: durable, with the history that watches and pages need."""
