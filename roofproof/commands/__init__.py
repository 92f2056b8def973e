"""The commands, a file each: `HELP`, `add_arguments(parser)` and `run(arguments)`; they import what they need late."""
