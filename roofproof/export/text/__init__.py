"""Text that is not yet a document: numbers for the eye, the atlas, floors, measured times and this machine."""
