"""Slides: decks of operations and whole lectures, as Beamer or as Markdown."""
