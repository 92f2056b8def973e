"""What every test run shares: which paths are collected, and how many examples the laws are tried on."""

from importlib.util import find_spec

from hypothesis import settings

# Links to the rooms: each file is collected once, under roofproof/.
collect_ignore = ["derive", "hardware", "ops", "proofs"]

# Examples that need a framework which is not installed.
FRONT_ENDS = {"jax": "jaxpr", "torch": "aten"}
collect_ignore_glob = [
    pattern
    for framework, folder in FRONT_ENDS.items()
    for pattern in (f"roofproof/trace/{folder}/*.py", f"tests/trace/test_{framework}_*.py")
    if not find_spec(framework)
]

# The everyday run tries the same examples each time; the long campaign draws new ones, and many more.
settings.register_profile("short", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile("short")
