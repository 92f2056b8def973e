"""Configurations of language models: built-in or user TOML files (keys in README.md), or a config.json."""

from __future__ import annotations

from roofproof.ops.models.configuration import Model
from roofproof.ops.models.named import model, model_names

__all__ = ["Model", "model", "model_names"]
