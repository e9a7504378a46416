"""Answers: documents and explanations for people and programs."""
