"""What every test run shares: which paths are collected, and how many examples the laws are tried on."""

from importlib.util import find_spec

from hypothesis import settings

# Links to the rooms: each file is collected once, under roofproof/.
collect_ignore = ["derive", "hardware", "ops", "proofs"]

# Examples that need a framework which is not installed.
collect_ignore_glob = [] if find_spec("jax") else ["roofproof/trace/jaxpr/*.py", "tests/trace/test_jax_*.py"]

# The everyday run tries the same examples each time; the long campaign draws new ones, and many more.
settings.register_profile("short", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile("short")
