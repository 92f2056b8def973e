"""Verdicts: what the engine finds about a statement somebody else makes."""
