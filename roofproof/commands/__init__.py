"""The commands, a file each: `add_arguments(parser)` and `run(arguments)`; they import what they need late."""
