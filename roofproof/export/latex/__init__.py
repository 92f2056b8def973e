"""LaTeX: expressions, conditions, derivations, tables and documents, of what was derived and proved."""
