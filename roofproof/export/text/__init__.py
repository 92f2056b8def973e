"""Text that is not yet a document: numbers for the eye."""
