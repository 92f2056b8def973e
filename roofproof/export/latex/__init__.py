"""LaTeX output: expressions, conditions, leaves of documents, and whole documents."""
