"""The commands, one module each, with a function `run(arguments)` that imports lazily. `usage` has their arguments."""
