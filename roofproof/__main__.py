"""`python -m roofproof`."""

import sys

from roofproof.cli import start

if __name__ == "__main__":
    sys.exit(start())
