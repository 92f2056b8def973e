"""Functions of the claim language about behaviour: limits, sums, optima, monotonicity, growth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ANALYSIS: dict[str, Callable[..., Any]] = {}
