"""Configurations of language models: a TOML file each, here or of a user (README.md has the keys), or config.json."""

from __future__ import annotations

from roofproof.ops.models.configuration import Model
from roofproof.ops.models.named import model, model_names

__all__ = ["Model", "model", "model_names"]
