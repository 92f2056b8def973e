"""`python -m roofproof`."""

import sys

from roofproof.cli import main

if __name__ == "__main__":
    sys.exit(main())
