"""The commands, a file each: `run(arguments)`, which imports what it needs late; what each takes is a table (TOML)."""
